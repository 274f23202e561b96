"""The tuner compiles on an executor that the program passes: Dask's, on a cluster of processes on this machine."""

from __future__ import annotations

import os
from typing import Any

import pytest
from runtime.test_autotune import cuda_program

from tilelang.backends.artifact import Artifact
from tilelang.targets import resolve
from tilelang.tuning.work import executor_for, submit, unpacked

pytest.importorskip("tvm")
distributed: Any = pytest.importorskip("distributed")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_kernels_compile_on_a_cluster(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_CACHE_DIR", str(tmp_path))
    target = resolve("sm_80")
    assert target is not None
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
        executor_for(target, 4, client.get_executor()) as pool,
    ):
        workers = set(client.run(os.getpid).values())
        assert os.getpid() not in workers
        futures = [submit(pool, cuda_program(size).instance, target) for size in (64, 128, 256, 512)]
        artifacts = [unpacked(future.result()) for future in futures]
    assert all(isinstance(it, Artifact) and it.cubin for it in artifacts)
    assert len({it.kernels[0].grid for it in artifacts}) == 4
