"""Names of deeplearn.js that only apply in a browser: they exist, and raise an explanation when used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tfpy.legacy.environment import ENV


class _BrowserOnly:
    """A namespace of WebGL helpers: any of its functions explains itself when it is called."""

    def __init__(self, name: str, functions: str) -> None:
        self._name = name
        for spelling in functions.split():
            setattr(self, spelling, _refusal(f"{name}.{spelling}"))

    if TYPE_CHECKING:

        def __getattr__(self, spelling: str) -> Any: ...

    def __repr__(self) -> str:
        return f"dl.{self._name} (WebGL; not in Python)"


def _refusal(name: str) -> Any:
    def refuse(*args: Any, **keywords: Any) -> Any:
        raise RuntimeError(f"{name}: WebGL is not available; select tfpy's GPU backend with dl.NDArrayMathGPU().")

    refuse.__name__ = name.rpartition(".")[2]
    return refuse


class GPGPUContext:
    """deeplearn.js: a WebGL context. There is none here; the class exists to say so."""

    def __init__(self, gl: Any = None) -> None:
        _refusal("GPGPUContext")()


def initialize_gpu(*args: Any) -> None:
    """deeplearn.js 0.3.8: prepare WebGL. Nothing needs to be prepared here."""
    ENV.get_best_backend()


initializeGPU = initialize_gpu

gpgpu_util = _BrowserOnly(
    "gpgpu_util",
    """getWebGLContextAttributes createWebGLContext createVertexShader createVertexBuffer createIndexBuffer
    createMatrixTexture createColorMatrixTexture createPackedMatrixTexture bindVertexProgramAttributeStreams
    uploadPixelDataToTexture uploadMatrixToTexture uploadMatrixToPackedTexture downloadMatrixFromOutputTexture
    downloadMatrixFromOutputTextureAsync downloadMatrixFromPackedOutputTexture downloadMatrixFromRGBAColorTexture""",
)
webgl_util = _BrowserOnly(
    "webgl_util",
    """createWebGLRenderingContext preferWebGL1 preferWebGL2 isWebGL2Enabled createWebGLRenderingContextFromCanvas
    callAndCheck enableDebugWebGLErrorChecking checkWebGLError getWebGLErrorMessage getExtensionOrThrow
    createVertexShader createFragmentShader createProgram linkProgram validateProgram createStaticVertexBuffer
    createStaticIndexBuffer queryMaxTextureSize getChannelsPerTexture createTexture validateTextureSize
    createFramebuffer bindVertexBufferToProgramAttribute bindTextureUnit unbindTextureUnit
    getProgramUniformLocationOrThrow bindTextureToProgramUniformSampler bindCanvasToFramebuffer
    bindColorTextureToFramebuffer unbindColorTextureFromFramebuffer validateFramebuffer getFramebufferErrorMessage
    getTextureShapeFromLogicalShape""",
)
render_ndarray_gpu_util = _BrowserOnly(
    "render_ndarray_gpu_util", "getRenderRGBShader renderToCanvas renderToFramebuffer"
)
