from tfpy import legacy as dl
math = dl.NDArrayMathCPU()
a = dl.Array1D.new([1, 2, 3]); b = dl.Array1D.new([3, 2, 1])

def numbers(x): return [int(v) for v in x.getValues()]

print(numbers(math.equal(a, b)), numbers(math.notEqual(a, b)), numbers(math.greater(a, b)))
print(numbers(math.less(a, b)), numbers(math.lessEqual(a, b)), numbers(math.greaterEqual(a, b)))
print(numbers(math.equalStrict(a, b)), numbers(math.lessStrict(a, b)))
both = math.logicalAnd(math.less(a, b), math.notEqual(a, b))
print(numbers(both), numbers(math.logicalOr(both, both)), numbers(math.logicalNot(both)))
print(list(math.where(both, a, b).getValues()))
