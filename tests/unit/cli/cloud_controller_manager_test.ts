import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { cloudControllerManager } from "../../../src/cli/cloud_controller_manager.ts";
import type { CloudProviderFactory } from "../../../src/cloud/mod.ts";
import { CLOUD_CONTROLLER_MANAGER, managerFlags, managerOptions } from "../../../src/manager/mod.ts";
import { FakeCloud } from "../cloud/fake_cloud.ts";

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;
const NOWHERE = ["--master=http://127.0.0.1:1", "--secure-port=0"];

/** Runs the program as a user does. */
async function run(...args: string[]): Promise<{ readonly code: number; readonly said: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "-A", MAIN, ...args],
    env: { NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder();
  return { code, said: text.decode(stdout) + text.decode(stderr) };
}

for (
  const [what, args, code, words] of [
    ["no --cloud-provider", [], 1, "Error: --cloud-provider cannot be empty"],
    [
      "--cloud-provider=nope",
      ["--cloud-provider=nope", ...NOWHERE],
      255,
      'Cloud provider could not be initialized: unknown cloud provider "nope"',
    ],
    ["--cloud-provider=external", ["--cloud-provider=external", ...NOWHERE], 255, "Cloud provider is nil"],
    [
      "a --cloud-config that is not there",
      ["--cloud-provider=nope", "--cloud-config=/nowhere/cloud.yaml", ...NOWHERE],
      255,
      "Couldn't open cloud provider configuration /nowhere/cloud.yaml",
    ],
    ["an argument", ["--cloud-provider=nope", "sync"], 1, 'does not take any arguments, got ["sync"]'],
  ] as const
) {
  Deno.test(`cloud-controller-manager ends with ${code} for ${what}`, async () => {
    const { code: got, said } = await run("cloud-controller-manager", ...args);
    assertEquals([got, said.replaceAll('\\"', '"').includes(words)], [code, true], said);
  });
}

const POOLS = "apiVersion: kubeloop.dev/v1alpha1\nkind: IpPoolProviderConfiguration\npools: ";
const WEBHOOK = "apiVersion: kubeloop.dev/v1alpha1\nkind: WebhookProviderConfiguration\n";

for (
  const [what, provider, text, words] of [
    ["no configuration of pools", "ippool", "", "write a IpPoolProviderConfiguration of kubeloop.dev/v1alpha1"],
    ["what is no YAML", "ippool", "pools: [", "not valid YAML"],
    [
      "pools that overlap",
      "ippool",
      `${POOLS}[{name: a, addresses: [10.0.0.0/30]}, {name: b, addresses: [10.0.0.2-10.0.0.9]}]`,
      'pools[1].addresses[0]: 10.0.0.2-10.0.0.9 overlaps 10.0.0.0/30 of pool "a" (pools[0].addresses[0])',
    ],
    [
      "a range that is reversed",
      "ippool",
      `${POOLS}[{name: a, addresses: [10.0.0.9-10.0.0.1]}]`,
      'pools[0].addresses[0]: "10.0.0.9-10.0.0.1": it is reversed',
    ],
    [
      "host bits in a range of IPv6",
      "ippool",
      `${POOLS}[{name: a, addresses: ["fd00::1/64"]}]`,
      'pools[0].addresses[0]: "fd00::1/64": the range begins with fd00::',
    ],
    ["no token", "hcloud", "", "HCLOUD_TOKEN"],
    ["no URL", "webhook", WEBHOOK, "url is missing"],
    ["a webhook without TLS elsewhere", "webhook", `${WEBHOOK}url: http://192.0.2.1`, "url must begin with https://"],
    [
      "a webhook where nobody is",
      "webhook",
      `${WEBHOOK}url: http://127.0.0.1:1\nretries: 0`,
      "http://127.0.0.1:1: The webhook cannot be asked to describe",
    ],
  ] as const
) {
  Deno.test(`cloud-controller-manager ends with 255 and one line for ${what}`, async () => {
    const path = await Deno.makeTempFile({ suffix: ".yaml" });
    try {
      await Deno.writeTextFile(path, text);
      await assertSaid([`--cloud-provider=${provider}`, `--cloud-config=${path}`, ...NOWHERE], words);
    } finally {
      await Deno.remove(path);
    }
  });
}

/** The program ends with 255, and the last line says why. */
async function assertSaid(args: readonly string[], words: string): Promise<void> {
  const { code, said } = await run("cloud-controller-manager", ...args);
  const lines = said.trimEnd().split("\n").filter((line) => /^[EF]\d{4} /.test(line) || !/^[IW]\d{4} /.test(line));
  assertEquals([code, lines.length], [255, 1], said);
  assertStringIncludes(lines[0].replaceAll('\\"', '"'), words);
}

for (
  const [what, answer, words] of [
    ["HTML", "<html>", "The webhook answered describe with nonsense: it is not JSON"],
    ["nothing that is meant", '{"result": {"name": "x"}}', "nonsense: result.hasClusterId is missing"],
  ] as const
) {
  Deno.test(`cloud-controller-manager ends with 255 and one line for a webhook that answers ${what}`, async () => {
    await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, () => new Response(answer));
    const path = await Deno.makeTempFile({ suffix: ".yaml" });
    try {
      await Deno.writeTextFile(path, `${WEBHOOK}url: http://127.0.0.1:${server.addr.port}`);
      await assertSaid(["--cloud-provider=webhook", `--cloud-config=${path}`, ...NOWHERE], words);
    } finally {
      await Deno.remove(path);
    }
  });
}

Deno.test("cloud-controller-manager ends with 255 and one line for a cloud without a cluster ID", async () => {
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => Response.json({ result: { name: "x", hasClusterId: false, capabilities: [] } }),
  );
  const path = await Deno.makeTempFile({ suffix: ".yaml" });
  try {
    await Deno.writeTextFile(path, `${WEBHOOK}url: http://127.0.0.1:${server.addr.port}`);
    await assertSaid(["--cloud-provider=webhook", `--cloud-config=${path}`, ...NOWHERE], "no ClusterID found.");
  } finally {
    await Deno.remove(path);
  }
});

const factory = (hasClusterId: boolean): CloudProviderFactory => ({
  name: "own",
  open: () => Promise.resolve(new FakeCloud({ name: "own", hasClusterId }).provider),
});

Deno.test("cloudControllerManager takes providers of its caller's, and ends with 255 where they have no cluster ID", async () => {
  assertEquals(
    await cloudControllerManager(["--cloud-provider=own", ...NOWHERE], { providers: [factory(false)] }),
    255,
  );
});

for (
  const [args, words] of [
    [["--controllers=foo"], '"foo" is not in the list of known controllers'],
    [["--concurrent-node-syncs=0"], "concurrent-node-syncs must be a positive number"],
    [["--concurrent-node-status-updates=-1"], "concurrent-node-status-updates cannot be a negative number"],
    [["--webhook-secure-port=10258"], "--webhook-secure-port cannot be the same value as --secure-port"],
    [["--webhook-secure-port=70000"], "--webhook-secure-port 70000 must be between 0 and 65535, inclusive."],
    [["--webhooks=foo"], '"foo" is not in the list of known webhooks'],
  ] as const
) {
  Deno.test(`cloud-controller-manager refuses ${args.join(" ")}`, () => {
    const flags = managerFlags(["--cloud-provider=x", ...args], CLOUD_CONTROLLER_MANAGER);
    assertThrows(() => managerOptions(flags), Error, words);
  });
}

Deno.test("cloud-controller-manager takes what vendors' manifests pass, and old names of controllers", () => {
  const flags = managerFlags([
    "--cloud-provider=x",
    "--leader-elect=false",
    "--allow-untagged-cloud",
    "--route-reconciliation-period=30s",
    "--webhook-secure-port=0",
    "--secure-port=0",
    "--controllers=*,-route",
    "--node-sync-period=0",
    "--cidr-allocator-type=CloudAllocator",
  ], CLOUD_CONTROLLER_MANAGER);
  const { controllers, cloud, election } = managerOptions(flags);
  assertEquals([...controllers].sort(), [
    "cloud-node-controller",
    "cloud-node-lifecycle-controller",
    "node-ipam-controller",
    "service-lb-controller",
  ]);
  assertEquals([cloud?.allowUntagged, election.enabled, election.resourceName], [
    true,
    false,
    "cloud-controller-manager",
  ]);
  assertEquals(flags.hidden, ["allow-untagged-cloud", "node-sync-period"]);
});
