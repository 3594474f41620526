"""Fixtures for pytest, which finds them by itself once the package is installed.

    def test_reconciles(kinformer_apiserver, kinformer_namespace):
        kubernetes.config.load_kube_config(kinformer_apiserver.kubeconfig)
        ...

A project sets options by a fixture of the same name in its conftest.py:

    @pytest.fixture(scope="session")
    def kinformer_options():
        return kinformer.Options(load=["config/crd"], simulate_workloads=True)
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from kinformer._server import ApiServer, Options, ServerError


@pytest.fixture(scope="session")
def kinformer_options() -> Options:
    """How the server of the session is started. For projects to replace."""
    return Options()


@pytest.fixture(scope="session")
def kinformer_apiserver(kinformer_options: Options) -> Iterator[ApiServer]:
    """The server of the session. With pytest-xdist each worker has one of its own."""
    with ApiServer(kinformer_options) as server:
        yield server


@pytest.fixture(scope="session")
def kinformer_kubeconfig(kinformer_apiserver: ApiServer) -> str:
    """The path of its kubeconfig."""
    return kinformer_apiserver.kubeconfig


@pytest.fixture
def kinformer_namespace(kinformer_apiserver: ApiServer) -> Iterator[str]:
    """The name of a namespace of this test alone, which is deleted at the end."""
    name = f"test-{uuid.uuid4().hex[:12]}"
    body = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    kinformer_apiserver.request("POST", "/api/v1/namespaces", body)
    yield name
    try:
        kinformer_apiserver.request("DELETE", f"/api/v1/namespaces/{name}")
    except ServerError as error:
        if error.status != 404:
            raise


@pytest.fixture(scope="session")
def kinformer_prepared(kinformer_apiserver: ApiServer) -> bytes:
    """The state in which each test with `kinformer_restored` begins: here that after the start.

    A project that prepares more replaces it, and returns kinformer_apiserver.snapshot().
    """
    return kinformer_apiserver.snapshot()


@pytest.fixture
def kinformer_restored(kinformer_apiserver: ApiServer, kinformer_prepared: bytes) -> ApiServer:
    """The server of the session, put back to the prepared state before this test."""
    kinformer_apiserver.restore(kinformer_prepared)
    return kinformer_apiserver
