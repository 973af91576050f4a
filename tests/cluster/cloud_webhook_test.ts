/** A cloud behind a webhook in another language, by https with mutual TLS or a token: at work, dead for a while, and back. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { EVENTS, type Node, NODES, type Service, SERVICES } from "../../src/api/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually, freePort } from "../controlplane/process.ts";
import { WebhookProvider } from "../controlplane/webhook_provider.ts";
import type { Kit } from "../scenarios/kit.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const TOKEN = "only-the-two-of-us-know-this";

/** What the endpoint asks for, and what the manager shows it. */
async function credentials(
  { plane }: Cluster,
  isByToken: boolean,
): Promise<{ readonly asked: readonly string[]; readonly shown: Readonly<Record<string, string>> }> {
  const { folder, authority } = plane;
  if (isByToken) {
    await Deno.writeTextFile(`${folder}/cloud-token`, `${TOKEN}\n`, { mode: 0o600 });
    return { asked: [`--token=${TOKEN}`], shown: { bearerTokenFile: `${folder}/cloud-token` } };
  }
  const { cert, key } = await authority.client("kubeloop");
  await Deno.writeTextFile(`${folder}/cloud-client.crt`, cert);
  await Deno.writeTextFile(`${folder}/cloud-client.key`, key, { mode: 0o600 });
  return {
    asked: [`--clients=${plane.rootCaFile}`],
    shown: { clientCertificateFile: `${folder}/cloud-client.crt`, clientKeyFile: `${folder}/cloud-client.key` },
  };
}

/** A Node as a kubelet registers it, with a range for its pods. */
async function addNode({ client }: Cluster, name: string, range: string): Promise<void> {
  const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" }];
  await client.create<Node>(NODES, {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { podCIDR: range, podCIDRs: [range], taints },
    status: { conditions: [{ type: "Ready", status: "True" }] },
  });
}

async function untilInitialised({ client }: Cluster, name: string): Promise<void> {
  await eventually(`${name} is initialised and has its route`, async () => {
    const { spec, status } = await client.get(NODES, { name });
    return spec?.providerID === `example://${name}` && !spec.taints?.some(({ key }) =>
      key?.includes("cloudprovider")
    ) &&
      status?.addresses?.some(({ address }) => address === "10.1.0.1") &&
      status.conditions?.some(({ type, status }) => type === "NetworkUnavailable" && status === "False");
  }, { withinMs: 90_000 });
}

function addService(kit: Kit, name: string): Promise<Service> {
  return kit.create<Service>(SERVICES, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name },
    spec: { type: "LoadBalancer", ports: [{ port: 80 }], selector: { app: name } },
  });
}

async function addressOf(kit: Kit, name: string): Promise<string | undefined> {
  const { status } = await kit.until<Service>(
    SERVICES,
    name,
    "has an address",
    ({ status }) => status?.loadBalancer?.ingress?.length,
  );
  return status?.loadBalancer?.ingress?.[0].ip;
}

for (const [by, isByToken] of [["mutual TLS", false], ["a bearer token", true]] as const) {
  clusterTest(
    `A cloud in another language is asked by https with ${by}, and when it dies nothing changes`,
    async () => {
      await using cluster = await Cluster.start({ nodes: 0 });
      const { client, plane } = cluster;
      const { cert, key } = await plane.authority.serving(["localhost"], ["127.0.0.1"]);
      await Deno.writeTextFile(`${plane.folder}/cloud.crt`, cert);
      await Deno.writeTextFile(`${plane.folder}/cloud.key`, key, { mode: 0o600 });
      const { asked, shown } = await credentials(cluster, isByToken);
      const state = `${plane.folder}/cloud-state.json`;
      const flags = [
        `--certificate=${plane.folder}/cloud.crt`,
        `--key=${plane.folder}/cloud.key`,
        `--state=${state}`,
        ...asked,
        `--port=${freePort()}`,
      ];
      await using endpoint = await WebhookProvider.start(flags);
      const config = `${plane.folder}/cloud.json`;
      const url = `https://127.0.0.1:${endpoint.port}`;
      const document = {
        url,
        certificateAuthorityFile: plane.rootCaFile,
        timeout: "2s",
        changeTimeout: "5s",
        retries: 1,
      };
      const KIND = { apiVersion: "kubeloop.dev/v1alpha1", kind: "WebhookProviderConfiguration" };
      await Deno.writeTextFile(config, JSON.stringify({ ...KIND, ...document, ...shown }));

      // It does ask: without what is shown it answers nothing.
      using stranger = Deno.createHttpClient({ caCerts: [plane.authority.cert] });
      const strange = () => fetch(`${url}/v1/describe`, { method: "POST", body: "{}", client: stranger });
      if (isByToken) {
        const answer = await strange();
        assertEquals([answer.status, (await answer.text()).includes("who are you")], [401, true]);
      } else await assertRejects(strange);

      const { process } = await startManager(plane, "kubeloop", {
        component: "cloud-controller-manager",
        flags: ["--cloud-provider=webhook", `--cloud-config=${config}`, "--node-status-update-frequency=1s"],
      });
      const kit = await cluster.namespace("shop", { account: false });
      for (const [i, name] of ["a", "b"].entries()) await addNode(cluster, name, `10.244.${i + 1}.0/24`);
      for (const name of ["a", "b"]) await untilInitialised(cluster, name);
      for (const name of ["kept", "changed"]) await addService(kit, name);
      const before = [await addressOf(kit, "kept"), await addressOf(kit, "changed")];
      assertEquals(new Set(before).size, 2);

      await endpoint.kill();
      const condition = { type: "Ready", status: "Unknown", reason: "Silent", message: "" };
      await client.patch(NODES, { name: "a" }, {
        type: "strategic",
        body: { status: { conditions: [condition] } },
        subresource: "status",
      });
      await addService(kit, "late");
      await kit.merge(SERVICES, "changed", { spec: { ports: [{ port: 8080 }] } });
      const versions = async () =>
        [...await kit.list(SERVICES), ...(await client.list(NODES)).items].map(({ metadata }) =>
          `${metadata?.name} ${metadata?.resourceVersion}`
        );
      const failed = (words: string) => process.output.split(words).length - 1;
      await eventually(
        "the machine of a was asked about five times",
        () => failed("Cannot tell what has become of a node's machine") >= 5,
        { withinMs: 120_000 },
      );
      for (const name of ["late", "changed"]) {
        await kit.untilAll(
          EVENTS,
          `${name} has a reason`,
          (events) =>
            events.some(({ involvedObject, reason, message }) =>
              involvedObject.name === name && reason === "SyncLoadBalancerFailed" &&
              message?.includes("The webhook cannot be asked")
            ),
        );
      }
      const during = await versions();
      const failures = failed("Cannot tell what has become of a node's machine");
      await eventually(
        "time goes by",
        () => failed("Cannot tell what has become of a node's machine") >= failures + 5,
        { withinMs: 120_000 },
      );
      assertEquals(await versions(), during, "a dead endpoint changes nothing");
      assertEquals((await client.list(NODES)).items.length, 2);
      assertEquals([await addressOf(kit, "kept"), await addressOf(kit, "changed")], before);

      await using _again = await WebhookProvider.start(flags);
      assert(await addressOf(kit, "late"));
      await eventually("the change is made", async () => (await Deno.readTextFile(state)).includes("[8080]"), {
        withinMs: 120_000,
      });
      await client.delete(NODES, { name: "b" });
      await eventually("its route goes", async () => !(await Deno.readTextFile(state)).includes("10.244.2.0/24"), {
        withinMs: 90_000,
      });
      await kit.delete(SERVICES, "kept");
      await kit.untilGone(SERVICES, "kept");
      const { balancers } = JSON.parse(await Deno.readTextFile(state));
      assertEquals(Object.keys(balancers).length, 2);
      assertEquals(
        (await client.list(NODES)).items.map(({ metadata }) => metadata?.name),
        ["a"],
      );
      assertEquals((await process.stop()).code, 0);
      assert(!process.output.includes(TOKEN));
    },
  );
}
