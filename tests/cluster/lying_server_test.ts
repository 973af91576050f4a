/** A manager in front of whom a kube-apiserver lies: every request ends, and the work is done all the same. */
import { assertEquals } from "@std/assert";
import { DEPLOYMENTS, PODS } from "../../src/api/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { type Fault, WireProxy } from "../controlplane/wire_proxy.ts";
import { deployment } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

/** What answers the first creation of a pod in a namespace. */
const LIES = new Map<string, Fault>([
  ["a-long-pause", {
    kind: "answer",
    status: 429,
    headers: { "retry-after": "999999999" },
    body: "later",
  }],
  ["informational-answers-without-end", {
    kind: "endless",
    begin: "",
    piece: "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
    everyMs: 10,
  }],
  ["a-head-without-end", {
    kind: "endless",
    begin: "HTTP/1.1 201 Created\r\n",
    piece: `x: ${"y".repeat(1000)}\r\n`,
    everyMs: 10,
  }],
  ["an-extension-without-end", {
    kind: "endless",
    begin: "HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n1;",
    piece: "x".repeat(1000),
    everyMs: 10,
  }],
  ["a-length-below-zero", {
    kind: "endless",
    begin: "HTTP/1.1 201 Created\r\nContent-Length: -1\r\n\r\n",
    piece: "{}",
    everyMs: 10,
  }],
  ["a-compressed-body", {
    kind: "answer",
    status: 201,
    headers: { "content-encoding": "gzip" },
    body: "\x1f\x8b\x08",
  }],
]);

clusterTest(
  "Deployments get their pods from a manager whose API server asks for patience for years, or never ends an answer",
  async () => {
    await using cluster = await Cluster.start({ nodes: 0 });
    const { plane, client } = cluster;
    const user = await plane.authority.client("liar", ["system:masters"]);
    const told = new Map<string, number>();
    await using proxy = new WireProxy({
      serverPort: plane.port,
      caCert: plane.authority.cert,
      user,
      fault: ({ method, path }) => {
        const namespace = method === "POST"
          ? /^\/api\/v1\/namespaces\/([^/]+)\/pods(?:\?|$)/.exec(path)?.[1]
          : undefined;
        const lie = LIES.get(namespace ?? "");
        if (!lie) return undefined;
        const count = (told.get(namespace!) ?? 0) + 1;
        told.set(namespace!, count);
        return count === 1 ? lie : undefined;
      },
    });
    const kubeconfig = await plane.writeKubeconfig("lied-to", { user, server: proxy.server });
    await startManager(plane, "kubeloop", { kubeconfig });
    for (const namespace of LIES.keys()) {
      const kit = await cluster.namespace(namespace);
      await kit.create(DEPLOYMENTS, deployment("web", { replicas: 2 }));
    }
    for (const namespace of LIES.keys()) {
      // The longest pause is 32 s.
      await eventually(`the Deployment in ${namespace} has its pods`, async () => {
        const { items } = await client.list(PODS, { namespace });
        return items.length === 2;
      }, { withinMs: 120_000 });
    }
    assertEquals(new Set(told.keys()), new Set(LIES.keys()));
  },
);
