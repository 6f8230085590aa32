"""Coefficients in a list, feed entries under another name."""
from tfpy import legacy as dl
from tfpy.legacy import FeedEntry as FE, CostReduction
import numpy as np, tfpy as tf
tf.set_seed(4)

def data(n=8):
    xs = np.linspace(-1, 1, n)
    return [dl.Scalar.new(v) for v in xs], [dl.Scalar.new(3*v*v - 1) for v in xs]

def main(rate=0.05, epochs=30):
    math = dl.NDArrayMathCPU()
    with math.scope():
        g = dl.Graph()
        x, t = g.placeholder("x", []), g.placeholder("t", [])
        coefs = [g.variable(f"c{i}", dl.Scalar.new(0.1 * i)) for i in range(3)]
        x2 = g.square(x)
        lin = g.multiply(coefs[1], x)
        quad = g.multiply(coefs[2], x2)
        y = g.add(g.add(quad, lin), coefs[0])
        loss = g.mean_squared_cost(t, y)
        sess = dl.Session(g, math)
        px, pt = dl.InCPUMemoryShuffledInputProviderBuilder(list(data())).get_input_providers()
        fe = [FE(x, px), FE(t, pt)]
        opt = dl.RMSPropOptimizer(rate, 0.9)
        history = []
        epoch = 0
        while epoch < epochs:
            c = sess.train(loss, fe, batch_size=8, optimizer=opt, cost_reduction=CostReduction.MEAN)
            history.append(c.get())
            epoch += 1
        print(history[0], history[-1])
        for c in coefs:
            print(sess.eval(c).get())
        out = sess.eval(y, [FE(tensor=x, data=dl.Scalar.new(0.5))])
        print(out.get(), float(out), out.rank)
        vals = {name: sess.eval(v).get() for name, v in zip("abc", coefs)}
        print(sorted(vals.items()))

main()
