/** A cluster at work in a process that may do nothing, and in which nobody can wait for real time: prints `rolled out`. */
import { DEPLOYMENTS } from "kubeloop/api";
import { objects, startTestCluster } from "kubeloop/testing";

const forbidden = () => {
  throw new Error("real time is waited for");
};
Object.assign(globalThis, { setTimeout: forbidden, setInterval: forbidden });

await using cluster = await startTestCluster({ nodes: 2 });
const client = cluster.client;
await client.create(DEPLOYMENTS, objects.deployment("web", { metadata: { namespace: "default" }, replicas: 3 }));
await cluster.eventually("three pods are ready", async () => {
  const { status } = await client.get(DEPLOYMENTS, { namespace: "default", name: "web" });
  return status?.readyReplicas === 3;
});
await cluster.advance(2 * 3_600_000);
await new Blob(["rolled out"]).stream().pipeTo(Deno.stdout.writable);
