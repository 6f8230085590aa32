"""The GPU backend: OpenGL compute shaders through moderngl, on any vendor's hardware with OpenGL 4.3.

Nothing here is imported before the backend is first used.
"""
