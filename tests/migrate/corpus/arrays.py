"""Arrays: how they are made, read and given another shape."""

from tfpy.legacy import Array1D, Array2D, Array3D, Array4D, NDArray, Scalar

shape = [2, 3]  # 2 rows, 3 columns
a = Array2D.new(shape, [1.0, 2.0, 3.0, 10.0, 20.0, 30.0])
print(a.shape, a.rank, a.size)
print(a.get(1, 2), a.get(0, 0))
print(list(a.getValues()))

b = Array3D.new([1, 2, 2], [[[1, 2], [3, 4]]])
c = Array4D.new([1, 1, 2, 2], [1, 2, 3, 4], "int32")
print(b.as1D().get(3), b.as2D(2, 2).get(1, 0), c.reshape([4]).get(2))
print(list(NDArray.zeros([3]).get_values()), list(Array1D.ones([2]).dataSync()))
print(Scalar.new(7).get(), Scalar.ONE.get(), Array1D.new([1.7, -1.5], "int32").get(0))

like = NDArray.like(a)
print(like.equals(a), NDArray.zerosLike(a).get(0, 1), NDArray.onesLike(a).get(0, 1))
made = NDArray.make([2, 2], {"values": [5, 6, 7, 8]})
print(made.flatten().get(3), made.asType("int32").get(0, 0))
total = 0
for row in range(2):
    for column in range(3):
        total += a.get(row, column)
print("total", total)
