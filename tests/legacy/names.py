"""The public names of deeplearn.js 0.1 to 0.4: exports, and methods of classes."""

from __future__ import annotations

EXPORTS = """
    AdadeltaOptimizer AdagradOptimizer AdamMaxOptimizer AdamOptimizer AdamaxOptimizer Array1D Array2D Array3D
    Array4D CheckpointLoader ConstantInitializer CostReduction ENV Environment FeedEntry GPGPUContext Graph
    GraphLayers GraphRunner InCPUMemoryShuffledInputProviderBuilder InGPUMemoryShuffledInputProviderBuilder
    InMemoryDataset InMemoryShuffledInputProviderBuilder InputProvider MathBackendCPU MathBackendWebGL
    MatrixOrientation MetricReduction MomentumOptimizer NDArray NDArrayInitializer NDArrayMath NDArrayMathCPU
    NDArrayMathGPU OnesInitializer Optimizer RMSPropOptimizer RandomNormalInitializer
    RandomTruncatedNormalInitializer RandomUniformInitializer SGDOptimizer Scalar Session Tensor Variable
    VarianceScalingInitializer XhrDataset ZerosInitializer conv_util environment gpgpu_util initializeGPU
    render_ndarray_gpu_util test_util util variable version webgl_util xhr_dataset
"""

NAMESPACES = {
    "conv_util": """
        computeOutputShape3D computeDefaultPad computeTexShapeFrom3D computeWeightsShape4D
        computeWeightsTexShape computeBiasesTexShape computeDilatedRC computeConvInfo
        computeDepthwiseConv2DInfo computeConv2DInfo computePool2DInfo
    """,
    "gpgpu_util": """
        getWebGLContextAttributes createWebGLContext createVertexShader createVertexBuffer createIndexBuffer
        createMatrixTexture createColorMatrixTexture createPackedMatrixTexture
        bindVertexProgramAttributeStreams uploadPixelDataToTexture uploadMatrixToTexture
        uploadMatrixToPackedTexture downloadMatrixFromOutputTexture downloadMatrixFromPackedOutputTexture
        downloadMatrixFromRGBAColorTexture downloadMatrixFromOutputTextureAsync
    """,
    "render_ndarray_gpu_util": "getRenderRGBShader renderToCanvas renderToFramebuffer",
    "util": """
        shuffle clamp randUniform randGauss distSquared assert assertShapesMatch flatten inferShape
        sizeFromShape isScalarShape arraysEqual isInt tanh sizeToSquarishShape createShuffledIndices
        assertAndGetBroadcastedShape rightPad repeatedTry getQueryParams inferFromImplicitShape getNaN
        isValNaN NAN_INT32 NAN_BOOL NAN_FLOAT32 squeezeShape getTypedArrayFromDType isNDArrayInList
        checkForNaN flattenNameArrayMap unflattenToNameArrayMap assertTypesMatch hasEncodingLoss nextFrame
    """,
    "webgl_util": """
        createWebGLRenderingContext preferWebGL1 preferWebGL2 isWebGL2Enabled
        createWebGLRenderingContextFromCanvas callAndCheck enableDebugWebGLErrorChecking checkWebGLError
        getWebGLErrorMessage getExtensionOrThrow createVertexShader createFragmentShader createProgram
        linkProgram validateProgram createStaticVertexBuffer createStaticIndexBuffer queryMaxTextureSize
        getChannelsPerTexture createTexture validateTextureSize createFramebuffer
        bindVertexBufferToProgramAttribute bindTextureUnit unbindTextureUnit getProgramUniformLocationOrThrow
        bindTextureToProgramUniformSampler bindCanvasToFramebuffer bindColorTextureToFramebuffer
        unbindColorTextureFromFramebuffer validateFramebuffer getFramebufferErrorMessage
        getTextureShapeFromLogicalShape IS_NAN_SHADER_FUNC
    """,
    "xhr_dataset": "getXhrDatasetConfig XhrDataset",
    "test_util": """
        expectArraysClose randomArrayInRange makeIdentity setValue cpuMultiplyMatrix cpuDotProduct
        expectNumbersClose describeMathCPU describeMathGPU describeCustom executeMathTests executeTests
        TEST_EPSILON assertIsNan expectValuesInRange mean standardDeviation kurtosis skewness
        jarqueBeraNormalityTest expectArrayInMeanStdRange expectArraysEqual
    """,
    "environment": "setEnvironment Type URL_PROPERTIES Environment ENV",
}

METHODS = {
    "CheckpointLoader": "getCheckpointManifest getAllVariables getVariable",
    "InMemoryDataset": """
        getDataShape fetchData getData getStats normalizeWithinBounds removeNormalization unnormalizeExamples
        dispose
    """,
    "Graph": """
        variable placeholder constant reshape fusedLinearCombination add subtract multiply divide reduceSum
        concat3d matmul conv2d maxPool exp log relu tanh sigmoid square softmax softmaxCrossEntropyCost
        meanSquaredCost argmax argmaxEquals getNodes leakyRelu elu prelu concat1d concat2d concat4d
    """,
    "GraphRunner": """
        resetStatistics train stopTraining resumeTraining infer stopInferring isInferenceRunning computeMetric
        getTotalBatchesTrained getLastComputedMetric setMath setSession setInferenceTensor
        setInferenceExampleCount
    """,
    "ConstantInitializer": "initialize",
    "NDArrayInitializer": "initialize",
    "OnesInitializer": "initialize",
    "RandomNormalInitializer": "initialize",
    "RandomTruncatedNormalInitializer": "initialize",
    "RandomUniformInitializer": "initialize",
    "VarianceScalingInitializer": "initialize",
    "ZerosInitializer": "initialize",
    "InCPUMemoryShuffledInputProviderBuilder": "getInputProvider getEpoch getInputProviders",
    "InGPUMemoryShuffledInputProviderBuilder": "getInputProvider getEpoch getInputProviders",
    "NDArrayMath": """
        scope startScope endScope keep track matMul vectorTimesMatrix matrixTimesVector dotProduct
        outerProduct clone reshape slice2D copy2D concat3D logSumExp sum argMin argMax argMaxEquals topK min
        max softmax switchDim scalarPlusArray scalarMinusArray arrayMinusScalar neg add sub elementWiseMul
        divide scalarDividedByArray arrayDividedByScalar exp log relu sigmoid tanh sin step scaledArrayAdd
        scalarTimesArray elementWiseMulBroadcast conv2d conv2dBackProp conv2dTranspose maxPool maxPoolBackprop
        minPool avgPool resizeBilinear3D batchNormalization3D enableDebugMode addStrict subStrict multiply
        multiplyStrict divideStrict multiRNNCell basicLSTMCell sqrt conv2dDerInput conv2dDerBias
        conv2dDerFilter abs cos tan asin acos atan sinh cosh dispose slice1D slice3D slice4D concat1D concat2D
        concat4D multinomial oneHot ceil floor clip equal equalStrict transpose subtract elu leakyRelu mean
        tile square moments depthwiseConv2D batchNormalization2D eluDer selu time getNumArrays register
        writePixels write readSync read pow powStrict prelu preluDer conv1d norm gradientWrt disposeData
        gradientsScope gradients valueAndGradients registerVariable minimum maximum batchNormalization4D cast
        notEqual notEqualStrict softmaxCrossEntropyWithLogits vjp variableGradients customGradient reverse1D
        reverse2D reverse3D reverse4D lessEqual greater greaterEqual logicalOr pad1D pad2D
        localResponseNormalization3D localResponseNormalization4D
    """,
    "Array1D": "new",
    "Array2D": "new",
    "Array3D": "new",
    "Array4D": "new",
    "NDArray": """
        zeros zerosLike like make rand randNormal randTruncatedNormal randUniform fromPixels ones onesLike
        reshape asScalar as1D as2D as3D as4D get add set locToIndex indexToLoc fill getData getValues
        getTexture getTextureShapeRC dispose inGPU equals getValuesAsync asType flatten val data dataSync
        squeeze
    """,
    "Scalar": "new",
    "Optimizer": "beforeBatch afterExample afterBatch dispose minimize computeGradients applyGradients",
    "Session": "dispose evalAll eval train",
    "SGDOptimizer": "setLearningRate",
    "GraphLayers": "dense",
    "MomentumOptimizer": "setMomentum setLearningRate",
    "XhrDataset": """
        fetchData getDataShape getData getStats normalizeWithinBounds removeNormalization unnormalizeExamples
        dispose
    """,
    "Environment": "get getBestBackend setFeatures reset setMath getBackend registerBackend",
    "Variable": "variable",
}
