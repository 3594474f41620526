"""Fixtures as a typed project uses them: mypy --strict reads this file; see ../run."""

from kinformer import ApiServer, Options


def test_options_are_taken(kinformer_apiserver: ApiServer, kinformer_options: Options) -> None:
    names = [item["metadata"]["name"]
             for item in kinformer_apiserver.request("GET", "/api/v1/nodes")["items"]]
    assert bool(names) == bool(kinformer_options.simulate_workloads)
