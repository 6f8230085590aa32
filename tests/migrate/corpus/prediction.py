"""Inference with weights in a dict, in an async scope."""

import asyncio
import tfpy.legacy as dl

math = dl.NDArrayMathGPU()

async def predict(image, weights):
    async def run(keep, track):
        x = track(dl.Array1D.new(image))
        h = math.relu(math.vectorTimesMatrix(x, weights['w1']))
        o = math.softmax(math.add(math.vectorTimesMatrix(h, weights['w2']), weights['b2']))
        top = math.topK(o, 2)
        vals = await top.values.data()
        idx = await top.indices.data()
        return dict(zip(idx.tolist(), [round(float(v), 4) for v in vals]))
    return await math.scope(run)

weights = {
    'w1': dl.Array2D.new([3, 4], [i / 10 for i in range(12)]),
    'w2': dl.Array2D.new([4, 3], [((i * 7) % 5 - 2) / 4 for i in range(12)]),
    'b2': dl.Array1D.new([.1, .2, .3]),
}
print(asyncio.run(predict([1, 2, 3], weights)))
total = dl.Scalar.new(0)
for k, w in weights.items():
    total = math.add(total, math.sum(w))
print(total.get())
best = None
for w in weights.values():
    m = math.max(w)
    if best is None or m.get() > best.get():
        best = m
print(best.get())
rows = [math.slice2D(weights['w1'], [i, 0], [1, 4]).as1D() for i in range(3)]
print([r.get(0) for r in rows], math.concat1D(rows[0], rows[1]).getValues().tolist())
acc = rows[0]
for r in rows[1:]:
    acc = math.add(acc, r)
print(acc.getValues().tolist(), acc.dtype, acc.shape)
norm = lambda v: math.divide(v, math.sqrt(math.sum(math.square(v))))
print([round(float(v), 4) for v in norm(acc).getValues()])
