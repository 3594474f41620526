import pathlib

import pytest

import kinformer


@pytest.fixture(scope="session")
def kinformer_options():
    here = pathlib.Path(__file__).parent
    return kinformer.Options(load=[here / "widgets.yaml"], simulate_workloads=True)
