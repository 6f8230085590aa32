"""Arrays in lists that functions, generators and patterns go through."""

from tfpy import legacy as dl

math = dl.NDArrayMathCPU()
rows = [dl.Array1D.new([3, 1]), dl.Array1D.new([2, 5]), dl.Array1D.new([9, 0])]


def batches(items, size):
    for i in range(0, len(items), size):
        yield items[i : i + size]


print(min(rows, key=lambda r: r.get(1)).getValues(), sorted(rows, key=lambda r: math.sum(r).get())[0].get(0))
print([r.get(0) for r in filter(lambda r: r.get(0) > 2, rows)])
print(list(map(lambda r, s: r.get(0) + s.get(1), rows, rows)), [s.get(0) for s in map(lambda r: math.square(r), rows)])
for batch in batches(rows, 2):
    print(batch[0].get(1), [math.sum(r).get() for r in batch])
head, *tail, last = rows
print(head.get(0), [t.get(1) for t in tail], last.get(0), (lambda r: r.get(0))(head))
stack = [dl.Scalar.new(4)]
stack.extend([dl.Scalar.new(5), math.max(rows[2])])
print(next(iter(rows)).get(1), next(r for r in rows if r.get(0) == 2).get(0))
results = [None] * 2
for i in range(2):
    results[i] = math.multiply(rows[i], dl.Scalar.new(i))
print(results[1].get(1), [r.get(0) for r in results])
while stack:
    print(stack.pop().get())  # from the end
