/** `kubeloop dev --cloud`, as people and scripts meet it. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type Node, NODES, SERVICES } from "../../src/api/mod.ts";
import { MemoryLogger, systemWorld } from "../../src/base/mod.ts";
import { Client, isNotFound, loadClientConfig, transportOf } from "../../src/client/mod.ts";
import { kubeloop, KubeloopProcess } from "./kubeloop_process.ts";

/** How long anything may take on a busy machine. */
const WITHIN_MS = 180_000;

/** What a test has while it runs: a folder, and a client of whoever the kubeconfig in it names. */
async function withFolder(test: (kubeconfig: string) => Promise<void>): Promise<void> {
  const path = await Deno.makeTempDir();
  try {
    await test(`${path}/kubeconfig`);
  } finally {
    await Deno.remove(path, { recursive: true });
  }
}

async function withClient(kubeconfig: string, test: (client: Client) => Promise<void>): Promise<void> {
  const world = systemWorld(new MemoryLogger());
  const config = await loadClientConfig(world, { kubeconfig });
  const transport = transportOf(world, config);
  try {
    await test(new Client({ world, transport, server: config.server, userAgent: "test" }));
  } finally {
    transport.close();
  }
}

async function eventually(what: string, condition: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + WITHIN_MS;
  while (!await condition()) {
    if (Date.now() > endMs) throw new Error(`Not within ${WITHIN_MS / 1000} s: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const nodesIn = async (client: Client): Promise<readonly Node[]> => (await client.list(NODES)).items;

Deno.test("dev --cloud --once ends when nodes are initialized and the example's balancer has an address", () =>
  withFolder(async (kubeconfig) => {
    const { code, out, err } = await kubeloop("dev", "--cloud", "--once", "--port=0", `--kubeconfig=${kubeconfig}`);
    assertEquals(code, 0, err);
    assertMatch(out, /^service +default\/web: at 203\.0\.113\.1$/m);
    assertMatch(out, /^example +all ready$/m);
    assert(!/^warning /m.test(out), out);
  }));

Deno.test("dev --cloud takes names of controllers that ask a cloud, and dev without it does not", () =>
  withFolder(async (kubeconfig) => {
    const flags = ["dev", "--once", "--port=0", `--kubeconfig=${kubeconfig}`, "--controllers=*,-cloud-node-controller"];
    const { code, err } = await kubeloop(...flags);
    assertEquals(code, 1);
    assertStringIncludes(err, '"cloud-node-controller" is not in the list of known controllers');
    const { err: late } = await kubeloop(...flags, "--cloud", "--timeout=5s");
    assertStringIncludes(late, "not everything is ready after 5 s: 0 of 3 nodes are ready");
  }));

Deno.test("dev --server --cloud runs the cloud of another API server, whose Nodes of others it leaves alone", () =>
  withFolder(async (kubeconfig) => {
    await using server = new KubeloopProcess(
      "apiserver",
      "--port=0",
      "--controllers",
      `--kubeconfig=${kubeconfig}`,
    );
    const [, url] = await server.line(/^ready (\S+) /);
    await withClient(kubeconfig, async (client) => {
      await client.create(NODES, { apiVersion: "v1", kind: "Node", metadata: { name: "of-others" } });
      await using dev = new KubeloopProcess(
        "dev",
        `--server=${url}`,
        `--kubeconfig=${kubeconfig}`,
        "--nodes=2",
        "--cloud",
      );
      await dev.line(/^nodes +2 ready$/);
      const metadata = { name: "web", namespace: "default" };
      await client.create(SERVICES, {
        apiVersion: "v1",
        kind: "Service",
        metadata,
        spec: { type: "LoadBalancer", ports: [{ port: 80 }] },
      });
      await eventually("an address", async () => {
        const { status } = await client.get(SERVICES, metadata);
        return status?.loadBalancer?.ingress?.[0].ip === "203.0.113.1";
      });
      const body = { metadata: { annotations: { "kubeloop.dev/machine": "removed" } } };
      await client.patch(NODES, { name: "node-0" }, { type: "merge", body });
      await eventually("the Node is deleted", async () => {
        // As node-lifecycle-controller says it of a machine that has been silent for 50 s.
        const status = { conditions: [{ type: "Ready", status: "Unknown" }] };
        const silent = { type: "strategic", body: { status }, subresource: "status" } as const;
        await client.patch(NODES, { name: "node-0" }, silent).catch((error) => assert(isNotFound(error), error));
        return (await nodesIn(client)).every(({ metadata }) => metadata?.name !== "node-0");
      });
      const names = (await nodesIn(client)).map(({ metadata, spec }) => `${metadata?.name} ${spec?.providerID}`);
      assertEquals(names.sort(), ["node-1 simulated://node-1", "of-others undefined"]);
      assertEquals((await dev.stop()).code, 0);
    });
    assertEquals((await server.stop()).code, 0);
  }));
