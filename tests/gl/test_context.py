"""The OpenGL context: choice of the GPU, missing GPUs, other threads, forks, and lost contexts."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from gpu import computed

import tfpy as tf
from tfpy.engine import machine
from tfpy.engine.backend import registry
from tfpy.engine.gl import context, doctor
from tfpy.engine.gl.backend import GlBackend, open_hardware
from tfpy.engine.gl.device import Device
from tfpy.engine.gl.doctor import report

pytestmark = pytest.mark.gl


class FakeContext:
    """A context that only has a renderer."""

    def __init__(self, renderer: str) -> None:
        self.info = {"GL_RENDERER": renderer}
        self.released = False

    def release(self) -> None:
        self.released = True


def fake_moderngl(monkeypatch: pytest.MonkeyPatch, devices: list[str | Exception], default: str | Exception) -> None:
    """Fake the EGL devices and the default display."""

    def create_context(standalone: bool, require: int, device_index: int | None = None, backend: str = "") -> Any:
        if device_index is None:
            found: str | Exception = default
        elif device_index >= len(devices):
            found = Exception(f"requested device index {device_index}, but found {len(devices)} devices")
        else:
            found = devices[device_index]
        if isinstance(found, Exception):
            raise found
        return FakeContext(found)

    monkeypatch.setattr(context, "import_moderngl", lambda: SimpleNamespace(create_context=create_context))
    monkeypatch.setattr(sys, "platform", "linux")


def test_hardware_is_preferred(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_moderngl(monkeypatch, ["llvmpipe (LLVM 15)", "NVIDIA H200", "AMD"], "Intel")
    opened = context.open_context()
    assert opened.context.info["GL_RENDERER"] == "NVIDIA H200"
    assert not opened.software
    assert [a.renderer for a in opened.attempts] == ["llvmpipe (LLVM 15)", "NVIDIA H200"]


@pytest.mark.parametrize(
    ("requested", "process_number", "renderer"),
    [
        ("", 0, "Intel UHD"),
        ("", 1, "AMD Radeon"),
        ("", 3, "AMD Radeon"),
        ("0", 1, "Intel UHD"),
        (" 1 ", 0, "AMD Radeon"),
        ("radeon", 0, "AMD Radeon"),
        ("llvm", 0, "llvmpipe"),
    ],
)
def test_choice_among_several_gpus(
    monkeypatch: pytest.MonkeyPatch, requested: str, process_number: int, renderer: str
) -> None:
    fake_moderngl(monkeypatch, ["Intel UHD", Exception("broken"), "llvmpipe", "AMD Radeon"], "Intel UHD")
    monkeypatch.setenv("TFPY_GPU", requested)
    monkeypatch.setattr(machine.share, "gpu", 0)
    machine.share_gpus(process_number)
    opened = context.open_context()
    assert opened.context.info["GL_RENDERER"] == renderer
    assert not opened.context.released
    assert opened.software == (renderer == "llvmpipe")
    assert context.gpus() == ["Intel UHD", "AMD Radeon"]


@pytest.mark.parametrize("requested", ["2", "nvidia"])
def test_unknown_requested_gpu_raises(monkeypatch: pytest.MonkeyPatch, requested: str) -> None:
    fake_moderngl(monkeypatch, ["Intel UHD", "llvmpipe", "AMD Radeon"], Exception("no display"))
    monkeypatch.setenv("TFPY_GPU", requested)
    with pytest.raises(RuntimeError, match=f"TFPY_GPU requests the GPU '{requested}'.* 0: Intel UHD; 1: AMD Radeon"):
        context.open_context()


def test_default_display_is_preferred_over_software(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_moderngl(monkeypatch, ["llvmpipe"], "Intel UHD")
    assert context.open_context().context.info["GL_RENDERER"] == "Intel UHD"


def test_software_is_the_last_resort(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_moderngl(monkeypatch, [Exception("broken"), "SwiftShader"], Exception("no display"))
    opened = context.open_context()
    assert opened.software
    assert not opened.context.released
    with pytest.warns(UserWarning, match="in software"):
        context.warn_of_software("SwiftShader")


def test_error_without_gpu_states_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_moderngl(monkeypatch, [], Exception("libGL.so not found"))
    with pytest.raises(RuntimeError, match="OpenGL 4.3") as error:
        context.open_context()
    assert "libGL.so not found" in str(error.value)
    assert "nstall" in str(error.value)
    assert "\n" not in str(error.value)


def test_equal_errors_of_devices_are_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_moderngl(monkeypatch, [Exception("no GL")] * context._MAX_DEVICES, Exception("no display"))
    with pytest.raises(RuntimeError, match=r"\(EGL device 0 to EGL device 15: no GL; default display: no display\)"):
        context.open_context()


def test_missing_moderngl_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "moderngl", None)
    with pytest.raises(RuntimeError, match="pip install moderngl"):
        context.import_moderngl()


@pytest.mark.parametrize(("platform", "text"), [("darwin", "macOS"), ("win32", "driver")])
def test_advice_for_macos_and_windows(monkeypatch: pytest.MonkeyPatch, platform: str, text: str) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    assert text in context.advice([])


@pytest.mark.parametrize(("nodes", "forbidden"), [(["card0", "renderD128"], True), (["card0"], False)])
def test_missing_permission_for_gpu_is_reported(
    monkeypatch: pytest.MonkeyPatch, gpu: GlBackend, nodes: list[str], forbidden: bool
) -> None:
    monkeypatch.setattr(context.os.path, "isdir", lambda path: path == "/dev/dri")
    monkeypatch.setattr(context.os, "listdir", lambda path: nodes)
    monkeypatch.setattr(context.os, "access", lambda path, mode: False)
    fake_moderngl(monkeypatch, ["llvmpipe"], Exception("no display"))
    assert ("no permission" in context.advice([])) is forbidden
    with pytest.warns(UserWarning, match="no permission" if forbidden else "software. The CPU"):
        assert open_hardware() is None
    assert not gpu.device.software or ("no permission" in report()) is forbidden


def test_is_software() -> None:
    assert context.is_software("llvmpipe (LLVM 15.0.6, 256 bits)")
    assert context.is_software("Google SwiftShader")
    assert context.is_software("Microsoft Basic Render Driver")
    assert not context.is_software("NVIDIA GeForce RTX 2080 SUPER/PCIe/SSE2")


def test_backend_aliases(gpu: GlBackend) -> None:
    for name in ("gl", "gpu", "webgl"):
        tf.set_backend(name)
        assert tf.backend() is gpu
        assert tf.get_backend() == "webgl"


def run_python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_backend_from_environment_variable(gpu: GlBackend) -> None:
    code = "import tfpy as tf; print(tf.get_backend(), tf.tensor([1, 2]).add(1).array_sync())"
    found = run_python(code, TFPY_BACKEND="gpu")
    assert found.stdout.split("\n")[0] == "webgl [2.0, 3.0]"
    assert found.stderr.count("UserWarning") <= 1
    assert run_python(code).stdout.startswith("cpu " if gpu.device.software else "webgl ")
    assert "'wegl'" in run_python(code, TFPY_BACKEND="wegl").stderr


def test_process_exits_with_pending_work_and_removed_backend(gpu: GlBackend) -> None:
    found = run_python(
        "import warnings; warnings.simplefilter('ignore')\n"
        "import tfpy as tf\n"
        "tf.set_backend('webgl'); a = tf.tensor([1, 2]).add(1); a.data_sync(); b = a.exp()\n"
        "tf.remove_backend('webgl'); print(tf.get_backend())\n"
        "try: b.data_sync()\n"
        "except RuntimeError as error: print(error)\n"
        "print(tf.tensor([1]).add(1).array_sync())\n"
    )
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == "cpu"
    assert "the backend was removed" in lines[1]
    assert lines[2] == "[2.0]"


def test_use_on_another_thread_raises(gpu: GlBackend) -> None:
    t = computed(tf.tensor([1.0, 2]))
    failed: list[Exception] = []

    def work() -> None:
        for attempt in (lambda: t.add(1).data_sync(), lambda: tf.tensor([3.0, 4]).exp().data_sync()):
            try:
                attempt()
            except RuntimeError as error:
                failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert len(failed) == 2
    assert all("thread" in str(error) and "set_backend('cpu')" in str(error) for error in failed)
    assert t.add(1).array_sync() == [2, 3], "the owner thread can go on"


USE_ON_THREADS = """
import threading, warnings
import tfpy as tf

warnings.simplefilter("ignore")
tensors = []


def use():
    try:
        tf.set_backend("webgl")
        tensors.append(tf.ones([2]).add(1))
        tensors[-1].add(1).data_sync()
    except RuntimeError as error:
        print(error)


for _ in range(3):  # the second one may reuse the id of the first
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
try:
    tensors[0].add(2).data_sync()
except RuntimeError as error:
    print(error)
tf.set_backend("cpu")
assert float(tf.ones([2]).sum()) == 2
"""


def test_gpu_is_unusable_after_its_thread_has_ended(gpu: GlBackend) -> None:
    ran = subprocess.run([sys.executable, "-c", USE_ON_THREADS], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert len(lines) == 3
    assert all("the thread that used the GPU has ended" in line for line in lines)


def test_buffers_dropped_on_another_thread_are_returned_safely(device: Device) -> None:
    held = [computed(tf.tensor(np.ones(1000, np.float32))) for _ in range(5)]
    used = device.pool.in_use()
    thread = threading.Thread(target=held.clear)
    thread.start()
    thread.join()
    assert device.pool.in_use() == used - 5 * 4096
    device.check()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_use_in_forked_child_raises(gpu: GlBackend) -> None:
    t = computed(tf.tensor([1.0, 2]))
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            t.add(1).data_sync()
            text = "it worked"
        except RuntimeError as error:
            text = str(error)
        os.write(writing, text.encode())
        os._exit(0)
    os.waitpid(child, 0)
    message = os.read(reading, 1000).decode()
    assert "forked" in message
    assert "the GPU and its data are not available" in message
    assert t.add(1).array_sync() == [2, 3]


def test_lost_context_raises_and_cpu_stays_usable(gpu: GlBackend, monkeypatch: pytest.MonkeyPatch) -> None:
    """Values on the host are still available."""
    device = gpu.device
    on_device, on_host = computed(tf.tensor([1.0, 2]).mul(3)), tf.tensor([5.0, 6])

    def fail(size: int) -> Any:
        raise Exception("cannot map the buffer")

    thread = device._thread
    with monkeypatch.context() as patch:
        patch.setattr(device, "_staging_for", lambda size: SimpleNamespace(read_into=fail))
        patch.setattr(device, "context", SimpleNamespace(copy_buffer=lambda *a: fail(0)))
        with pytest.raises(RuntimeError, match="lost"):
            on_device.data_sync()
    with pytest.raises(RuntimeError, match=r"set_backend\('cpu'\)"):
        on_device.add(1).data_sync()
    registry.use("cpu")
    assert on_host.add(1).array_sync() == [6, 7]
    device._thread, device._dead = thread, ""  # the context was not really lost


def test_tensor_beyond_buffer_limit_raises(device: Device) -> None:
    size = device.block_size // 4 + 1
    with pytest.raises(ValueError, match=str(device.block_size)):
        computed(tf.range(0, size, 1, "int32"))


def test_memory_reports_gpu_bytes_and_programs(gpu: GlBackend) -> None:
    before = tf.memory()
    t = computed(tf.tensor(np.ones(1000, np.float32)))
    after = tf.memory()
    assert after.num_bytes_in_gpu - before.num_bytes_in_gpu == 4096
    assert after["numBytesInGPU"] == after.num_bytes_in_gpu
    computed(t.sin().tan().cosh().asinh())  # a shader that no other test needs
    assert tf.memory().num_programs == after.num_programs + 1


def test_doctor_report() -> None:
    text = report()
    for part in ("renderer", "OpenGL", "limit", "self-test", "timing"):
        assert part in text
    assert "WRONG" not in text
    for line in text.splitlines():
        assert not (line.startswith("found by") and "cannot" in line), "a way that failed"


def test_doctor_report_of_a_gpu_with_wrong_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_chain", lambda t: t)
    text = report()
    assert "self-test  chain: WRONG" in text
    assert "self-test  sum: right" in text
    assert text.endswith("A newer driver may help.")


def test_doctor_report_without_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Any:
        raise RuntimeError("webgl: no usable GPU with OpenGL 4.3 was found")

    monkeypatch.setattr(registry, "find", fail)
    assert "no GPU" in report()


def test_profile_marks_kernels_on_the_cpu(gpu: GlBackend) -> None:
    found = tf.profile(lambda: tf.linalg.qr(tf.tensor([[1.0, 2], [3, 4]]).add(1))[0].sum())
    assert {k.name: k.extra_info for k in found.kernels} == {"Add": "", "Qr": "cpu", "Sum": ""}
    found.result.dispose()


def test_default_backend_uses_hardware_only(monkeypatch: pytest.MonkeyPatch) -> None:
    fake_moderngl(monkeypatch, ["llvmpipe"], Exception("no display"))
    with pytest.warns(UserWarning, match=r"only llvmpipe, which renders in software\. The CPU is used"):
        assert open_hardware() is None
    fake_moderngl(monkeypatch, [], Exception("no display"))
    with pytest.warns(UserWarning, match=r"OpenGL 4\.3.*no display.*The CPU is used"):
        assert open_hardware() is None
    fake_moderngl(monkeypatch, ["AMD"], Exception("no display"))
    monkeypatch.setattr("tfpy.engine.gl.backend.Device", lambda opened: SimpleNamespace(renderer="AMD"))
    found = open_hardware()
    assert found is not None
    assert found.device.renderer == "AMD"


def test_shared_memory_where_the_driver_does_not_tell() -> None:
    loader = SimpleNamespace(load=lambda name: 0)
    assert context.shared_memory(SimpleNamespace(mglo=SimpleNamespace(_context=loader))) == 32768
