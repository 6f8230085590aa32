import tfpy.legacy as dl

math = dl.NDArrayMathCPU()
A = dl.Array2D.new([2, 3], [1, 2, 3, 4, 5, 6])
B = dl.Array2D.new([3, 2], [1, 2, 3, 4, 5, 6])
v = dl.Array1D.new([1, 0, -1])

print(list(math.matMul(A, B).getValues()))
print(list(math.matMul(A, B, dl.MatrixOrientation.TRANSPOSED, dl.MatrixOrientation.TRANSPOSED).getValues()))
print(list(math.matMul(A, A, dl.MatrixOrientation.REGULAR, dl.MatrixOrientation.TRANSPOSED).getValues()))
print(list(math.mat_mul(A, A, b_orientation=dl.MatrixOrientation.TRANSPOSED).get_values()))
print(list(math.matrixTimesVector(A, v).getValues()), list(math.vectorTimesMatrix(v, B).getValues()))
print(math.dotProduct(v, v).get(), list(math.outerProduct(v, v).getValues()))
print(list(math.transpose(A).getValues()), list(math.switchDim(A, [1, 0]).getValues()))
