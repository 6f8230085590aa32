import tfpy.legacy

math = tfpy.legacy.NDArrayMathCPU()
a = tfpy.legacy.Array1D.new([3, 4])
print(math.norm(a).get(), math.sum(a).get())
