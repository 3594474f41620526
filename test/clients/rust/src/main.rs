//! Does with kube-rs what programs do with an API server; see ../README.md.

use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail, ensure};
use futures::{StreamExt, TryStreamExt, pin_mut};
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::{ConfigMap, Namespace, Pod};
use k8s_openapi::api::policy::v1::PodDisruptionBudget;
use kube::api::{
    Api, DeleteParams, EvictParams, ListParams, Patch, PatchParams, PostParams, WatchEvent,
    WatchParams,
};
use kube::runtime::{WatchStreamExt, reflector, watcher};
use kube::{Client, ResourceExt};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

const PATIENCE: Duration = Duration::from_secs(30);

struct Server {
    client: Client,
    namespace: String,
}

fn object<K: DeserializeOwned>(value: Value) -> Result<K> {
    Ok(serde_json::from_value(value)?)
}

fn config_map(name: &str, value: &str) -> Result<ConfigMap> {
    object(json!({"metadata": {"name": name, "labels": {"app": name}}, "data": {"key": value}}))
}

fn refused<T>(code: u16, result: kube::Result<T>) -> Result<()> {
    match result {
        Err(kube::Error::Api(status)) if status.code == code => Ok(()),
        Err(error) => bail!("not refused with {code}, but: {error}"),
        Ok(_) => bail!("not refused with {code}"),
    }
}

fn value_of(map: &ConfigMap, key: &str) -> Option<String> {
    map.data.as_ref()?.get(key).cloned()
}

impl Server {
    fn maps(&self) -> Api<ConfigMap> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    fn pods(&self) -> Api<Pod> {
        Api::namespaced(self.client.clone(), &self.namespace)
    }

    async fn set(&self, name: &str, key: &str, value: &str) -> Result<ConfigMap> {
        let patch = Patch::Merge(json!({"data": {key: value}}));
        Ok(self.maps().patch(name, &PatchParams::default(), &patch).await?)
    }

    async fn crud(&self) -> Result<()> {
        let (maps, post) = (self.maps(), PostParams::default());
        let created = maps.create(&post, &config_map("crud", "1")?).await?;
        refused(409, maps.create(&post, &config_map("crud", "1")?).await)?;
        let mut changed = config_map("crud", "2")?;
        changed.metadata.resource_version = created.resource_version();
        let replaced = maps.replace("crud", &post, &changed).await?;
        ensure!(value_of(&replaced, "key").as_deref() == Some("2"), "replace");
        refused(409, maps.replace("crud", &post, &changed).await)?;
        let patched = self.set("crud", "more", "3").await?;
        ensure!(patched.data.is_some_and(|data| data.len() == 2), "patch");
        let listed = maps.list(&ListParams::default().labels("app=crud")).await?;
        ensure!(listed.items.len() == 1, "list by label");
        maps.delete("crud", &DeleteParams::default()).await?;
        refused(404, maps.get("crud").await)
    }

    async fn watch(&self) -> Result<()> {
        let maps = self.maps();
        let start = maps.list(&ListParams::default()).await?.metadata.resource_version;
        let params = WatchParams::default().labels("app=watched");
        let events = maps.watch(&params, &start.unwrap_or_default()).await?.boxed();
        maps.create(&PostParams::default(), &config_map("watched", "1")?).await?;
        self.set("watched", "key", "2").await?;
        maps.delete("watched", &DeleteParams::default()).await?;
        let kinds: Vec<&str> = events
            .try_filter_map(async |event| {
                Ok(match event {
                    WatchEvent::Added(_) => Some("ADDED"),
                    WatchEvent::Modified(_) => Some("MODIFIED"),
                    WatchEvent::Deleted(_) => Some("DELETED"),
                    WatchEvent::Bookmark(_) => None,
                    WatchEvent::Error(_) => Some("ERROR"),
                })
            })
            .take(3)
            .try_collect()
            .await?;
        ensure!(kinds == ["ADDED", "MODIFIED", "DELETED"], "events {kinds:?}");
        Ok(())
    }

    async fn informer(&self) -> Result<()> {
        let maps = self.maps();
        maps.create(&PostParams::default(), &config_map("before", "1")?).await?;
        let (reader, writer) = reflector::store();
        let config = watcher::Config::default().labels("app in (before,after)");
        let events = watcher(maps.clone(), config).default_backoff().reflect(writer);
        pin_mut!(events);
        let mut seen = async || -> Result<String> {
            loop {
                let event = events.try_next().await?.context("the watcher has ended")?;
                match event {
                    watcher::Event::InitApply(map) => return Ok(format!("init {}", map.name_any())),
                    watcher::Event::Apply(map) => return Ok(format!("apply {}", map.name_any())),
                    watcher::Event::Delete(map) => return Ok(format!("delete {}", map.name_any())),
                    watcher::Event::Init | watcher::Event::InitDone => {}
                }
            }
        };
        ensure!(seen().await? == "init before", "the first object");
        maps.create(&PostParams::default(), &config_map("after", "1")?).await?;
        ensure!(seen().await? == "apply after", "a new object");
        self.set("after", "key", "2").await?;
        ensure!(seen().await? == "apply after", "a changed object");
        maps.delete("before", &DeleteParams::default()).await?;
        ensure!(seen().await? == "delete before", "a deleted object");
        let cached = reader.state();
        ensure!(cached.len() == 1, "{} objects in the cache", cached.len());
        ensure!(value_of(&cached[0], "key").as_deref() == Some("2"), "the cache is old");
        Ok(())
    }

    async fn apply(&self) -> Result<()> {
        for value in ["1", "2"] {
            let wanted = Patch::Apply(json!({
                "apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"},
                "data": {"key": value}}));
            let params = PatchParams::apply("client").force();
            let applied = self.maps().patch("applied", &params, &wanted).await?;
            ensure!(value_of(&applied, "key").as_deref() == Some(value), "applied {value}");
        }
        Ok(())
    }

    /// Creates a pod, and does what a scheduler and a kubelet do, since there is neither.
    async fn new_pod(&self, name: &str) -> Result<Pod> {
        let (pods, post) = (self.pods(), PostParams::default());
        let pod = object(json!({
            "metadata": {"name": name, "labels": {"app": name}},
            "spec": {"containers": [{"name": "main", "image": "example.com/main:1"}]}}))?;
        pods.create(&post, &pod).await?;
        let binding = json!({
            "apiVersion": "v1", "kind": "Binding", "metadata": {"name": name},
            "target": {"kind": "Node", "name": "node-1"}});
        let _: Value =
            pods.create_subresource("binding", name, &post, &binding).await?;
        let status = Patch::Merge(json!({"status": {
            "phase": "Running", "conditions": [{"type": "Ready", "status": "True"}]}}));
        Ok(pods.patch_status(name, &PatchParams::default(), &status).await?)
    }

    async fn pods_without_nodes(&self) -> Result<()> {
        let pod = self.new_pod("web").await?;
        ensure!(pod.spec.and_then(|spec| spec.node_name).as_deref() == Some("node-1"), "not bound");
        let running = ListParams::default().fields("status.phase=Running");
        ensure!(self.pods().list(&running).await?.items.len() == 1, "not one is running");
        self.pods().delete("web", &DeleteParams::default().grace_period(0)).await?;
        refused(404, self.pods().get("web").await)
    }

    async fn eviction(&self) -> Result<()> {
        self.new_pod("free").await?;
        self.pods().evict("free", &EvictParams::default()).await?;
        self.new_pod("kept").await?;
        let budgets: Api<PodDisruptionBudget> =
            Api::namespaced(self.client.clone(), &self.namespace);
        let budget = object(json!({
            "metadata": {"name": "budget"},
            "spec": {"minAvailable": 1, "selector": {"matchLabels": {"app": "kept"}}}}))?;
        budgets.create(&PostParams::default(), &budget).await?;
        // The disruption controller's part.
        let status = Patch::Merge(json!({"status": {
            "observedGeneration": 1, "currentHealthy": 1, "desiredHealthy": 1, "expectedPods": 1,
            "disruptionsAllowed": 0}}));
        budgets.patch_status("budget", &PatchParams::default(), &status).await?;
        // kube-rs asks again for as long as the answer is 429.
        let pods = self.pods();
        let params = EvictParams::default();
        let evicted = pods.evict("kept", &params);
        ensure!(tokio::time::timeout(Duration::from_secs(2), evicted).await.is_err(), "evicted");
        pods.get("kept").await?;
        Ok(())
    }

    /// kube-rs has no leader election: a Lease, written with its version, as others do it.
    async fn try_to_lead(&self, identity: &str) -> Result<bool> {
        let leases: Api<Lease> = Api::namespaced(self.client.clone(), &self.namespace);
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_secs();
        let spec = json!({"holderIdentity": identity, "leaseDurationSeconds": 1});
        let marks = json!({"renewed": now.to_string()});
        let post = PostParams::default();
        let Some(lease) = leases.get_opt("leader").await? else {
            let lease = object(json!({
                "metadata": {"name": "leader", "annotations": marks}, "spec": spec}))?;
            return Ok(leases.create(&post, &lease).await.is_ok());
        };
        let renewed: u64 = lease.annotations().get("renewed").context("no time")?.parse()?;
        let holder = lease.spec.as_ref().and_then(|spec| spec.holder_identity.as_deref());
        if holder != Some(identity) && now <= renewed + 1 {
            return Ok(false);
        }
        let next = object(json!({
            "metadata": {"name": "leader", "annotations": marks,
                         "resourceVersion": lease.resource_version()},
            "spec": spec}))?;
        Ok(leases.replace("leader", &post, &next).await.is_ok())
    }

    async fn leader(&self) -> Result<()> {
        ensure!(self.try_to_lead("first").await?, "the first does not lead");
        ensure!(!self.try_to_lead("second").await?, "both lead");
        ensure!(self.try_to_lead("first").await?, "the first cannot renew");
        tokio::time::sleep(Duration::from_secs(3)).await;
        ensure!(self.try_to_lead("second").await?, "the second does not take over");
        ensure!(!self.try_to_lead("first").await?, "the first leads, still");
        Ok(())
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    let nanos = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH)?.as_nanos();
    let server = Server { client: client.clone(), namespace: format!("rust-{nanos}") };
    let namespaces: Api<Namespace> = Api::all(client);
    let own = object(json!({"metadata": {"name": server.namespace}}))?;
    namespaces.create(&PostParams::default(), &own).await?;
    let mut failed = false;
    for name in ["crud", "watch", "informer", "apply", "pods", "eviction", "leader"] {
        let run = async {
            match name {
                "crud" => server.crud().await,
                "watch" => server.watch().await,
                "informer" => server.informer().await,
                "apply" => server.apply().await,
                "pods" => server.pods_without_nodes().await,
                "eviction" => server.eviction().await,
                _ => server.leader().await,
            }
        };
        match tokio::time::timeout(PATIENCE, run).await {
            Ok(Ok(())) => println!("ok   {name}"),
            Ok(Err(error)) => {
                failed = true;
                println!("FAIL {name}: {error:#}");
            }
            Err(_) => {
                failed = true;
                println!("FAIL {name}: not within {PATIENCE:?}");
            }
        }
    }
    namespaces.delete(&server.namespace, &DeleteParams::default()).await?;
    std::process::exit(i32::from(failed));
}
