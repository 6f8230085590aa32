from tfpy import legacy as dl

math = dl.NDArrayMathCPU()


def train(optimizer):
    g = dl.Graph()
    x = g.placeholder("x", [2])
    target = g.placeholder("target", [])
    w = g.variable("w", dl.Array1D.new([1, -2]))
    prediction = g.reduceSum(g.multiply(w, x))
    cost = g.meanSquaredCost(target, prediction)
    xs = [dl.Array1D.new([1, 2])] * 2
    ys = [dl.Scalar.new(1)] * 2
    xp, yp = dl.InCPUMemoryShuffledInputProviderBuilder([xs, ys]).getInputProviders()
    session = dl.Session(g, math)
    for _ in range(5):
        session.train(cost, [{"tensor": x, "data": xp}, {"tensor": target, "data": yp}], 2, optimizer)
    print([round(float(v), 5) for v in session.eval(w).getValues()])


train(dl.SGDOptimizer(0.1))
train(dl.MomentumOptimizer(0.01, 0.9))
train(dl.AdagradOptimizer(0.1))
train(dl.AdagradOptimizer(0.1, None, 0.2))
train(dl.RMSPropOptimizer(0.1, 0.8))
train(dl.AdadeltaOptimizer(0.1))
train(dl.AdamOptimizer(0.1))
train(dl.AdamaxOptimizer(0.1, 0.8))
