"""The command kinformer, and a Kubernetes API server for tests.

    from kinformer import ApiServer

    with ApiServer() as server:
        kubernetes.config.load_kube_config(server.kubeconfig)

kinformer.testing has fixtures for pytest.
"""

from kinformer._server import ApiServer, Options, ServerError, command

__all__ = ["ApiServer", "Options", "ServerError", "command"]
