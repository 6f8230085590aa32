"""What the functions of deeplearn.js 0.5 give, read as arrays are."""
from tfpy import legacy as dl

x = dl.tensor1d([1, 2, 3])
print(dl.sum(x).get(), dl.norm(x).get(), dl.mean(x).get(), dl.logSumExp(x).get(), dl.square(x).get(1))
print(dl.moments(x).mean.get(), dl.moments(x)["variance"].get())


def f(a):
    return dl.sum(dl.square(a))


print(dl.valueAndGrads(f)([x])["value"].get(), dl.valueAndGrads(f)([x])["grads"][0].get(1))
value, grads = dl.valueAndGrads(f)([x])
print(value.get(), grads[0].get(2))
found = dl.valueAndGrad(f)(x)
print(found.value.get(), found.grad.get(0))
slope = dl.grad(f)
print(slope(x).get(1), dl.grads(f)([x])[0].get(2))
w = dl.variable(dl.scalar(1.0), True, "w")
optimizer = dl.SGDOptimizer(0.1)
print(optimizer.minimize(lambda: dl.square(w), True).get(), w.get())
print(dl.variableGrads(lambda: dl.square(w))["grads"]["w"].get())
print(dl.tidy(lambda: dl.sum(x)).get(), dl.keep(dl.neg(x)).get(0))


def line(t, b):
    return dl.mul(w, t).add(b)


print(line(x, w).get(0))
p, q = dl.scalar(2), dl.tensor1d([3, 4])
h, c = dl.basicLSTMCell(dl.scalar(1), dl.zeros([3, 8]), dl.zeros([8]), dl.zeros([1, 1]), dl.zeros([1, 2]), dl.zeros([1, 2]))
print(p.add(q).get(1), h.get(0, 1), c.get(0, 0))
