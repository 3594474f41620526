"""The fixtures of the wheel, with the official client; see ../run."""

import os
import pathlib
import signal
import subprocess
import sys
import time

import kubernetes
import pytest

import kinformer


@pytest.fixture(scope="session")
def core(kinformer_kubeconfig):
    kubernetes.config.load_kube_config(kinformer_kubeconfig)
    return kubernetes.client.CoreV1Api()


def config_map(name):
    return kubernetes.client.V1ConfigMap(
        metadata=kubernetes.client.V1ObjectMeta(name=name), data={"key": "value"})


def wait_until(condition, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the condition did not come true"
        time.sleep(0.05)


def test_namespace_is_there(core, kinformer_namespace):
    core.create_namespaced_config_map(kinformer_namespace, config_map("a"))
    listed = core.list_namespaced_config_map(kinformer_namespace, label_selector="")
    assert "a" in [item.metadata.name for item in listed.items]


def test_each_test_has_its_own_namespace(core, kinformer_namespace):
    listed = core.list_namespaced_config_map(kinformer_namespace)
    assert "a" not in [item.metadata.name for item in listed.items]


def test_definition_of_options_is_served(core, kinformer_namespace):
    api = kubernetes.client.CustomObjectsApi()
    widget = {"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {"name": "one"},
              "spec": {"size": 3}}
    api.create_namespaced_custom_object(
        "example.com", "v1", kinformer_namespace, "widgets", widget)
    widget["metadata"]["name"], widget["spec"]["size"] = "big", 11
    with pytest.raises(kubernetes.client.ApiException) as refused:
        api.create_namespaced_custom_object(
            "example.com", "v1", kinformer_namespace, "widgets", widget)
    assert refused.value.status == 422
    assert "less than or equal to 10" in refused.value.body


def test_simulated_deployment_becomes_ready(core, kinformer_namespace):
    apps = kubernetes.client.AppsV1Api()
    labels = {"app": "web"}
    apps.create_namespaced_deployment(kinformer_namespace, {
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {"replicas": 2, "selector": {"matchLabels": labels},
                 "template": {"metadata": {"labels": labels},
                              "spec": {"containers": [{"name": "c", "image": "i"}]}}}})
    wait_until(lambda: apps.read_namespaced_deployment_status(
        "web", kinformer_namespace).status.ready_replicas == 2)


@pytest.mark.parametrize("_", [1, 2])
def test_restored_server_begins_anew(core, kinformer_restored, _):
    with pytest.raises(kubernetes.client.ApiException) as missing:
        core.read_namespaced_config_map("left", "default")
    assert missing.value.status == 404
    core.create_namespaced_config_map("default", config_map("left"))


def test_errors_have_the_status_and_text_of_the_server(kinformer_apiserver):
    with pytest.raises(kinformer.ServerError, match='namespaces "nobody" not found') as error:
        kinformer_apiserver.request("GET", "/api/v1/namespaces/nobody")
    assert error.value.status == 404


def test_without_the_token_nobody_is_let_in(kinformer_apiserver):
    configuration = kubernetes.client.Configuration(host=kinformer_apiserver.url)
    configuration.ssl_ca_cert = kinformer_apiserver.ca_file
    api = kubernetes.client.CoreV1Api(kubernetes.client.ApiClient(configuration))
    with pytest.raises(kubernetes.client.ApiException) as refused:
        api.list_namespace()
    assert refused.value.status == 401


def test_wrong_option_raises_with_the_words_of_the_server():
    with pytest.raises(kinformer.ServerError, match="(?s)ended at its start.*--no-such-option"):
        kinformer.ApiServer(kinformer.Options(args=["--no-such-option"]))


def test_missing_command_raises(monkeypatch):
    monkeypatch.setenv("KINFORMER_COMMAND", "/nowhere/kinformer")
    with pytest.raises(kinformer.ServerError, match="KINFORMER_COMMAND names /nowhere/kinformer"):
        kinformer.ApiServer()


def test_stop_removes_process_and_files():
    with kinformer.ApiServer() as server:
        pid, kubeconfig = server.pid, pathlib.Path(server.kubeconfig)
        assert kubeconfig.exists()
    assert not kubeconfig.parent.exists()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def ended(pid):
    """Whether the process is gone, or is a zombie that nobody has waited for."""
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_killed_program_leaves_no_server_behind():
    program = "import kinformer, time; s = kinformer.ApiServer(); print(s.pid, flush=True); " \
              "time.sleep(600)"
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as starter:
        pid = int(starter.stdout.readline())
        starter.send_signal(signal.SIGKILL)
    wait_until(lambda: ended(pid))


def test_program_that_forgets_to_stop_leaves_nothing_behind():
    program = "import kinformer; s = kinformer.ApiServer(); print(s.pid, s.kubeconfig)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True, timeout=60)
    pid, kubeconfig = said.stdout.split()
    wait_until(lambda: ended(int(pid)))
    assert not pathlib.Path(kubeconfig).parent.exists()


def test_command_runs_as_a_program_and_as_a_module():
    for command in (["kinformer"], [sys.executable, "-m", "kinformer"]):
        said = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
        assert said.stdout.startswith("kinformer ")
    failed = subprocess.run(["kinformer", "no-such-command"], capture_output=True, check=False)
    assert failed.returncode == 2
