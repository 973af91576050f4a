/** What a controller's row declares reaches its group, and nothing else does. */
import { assert, assertEquals, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { generateKeyPairSync } from "node:crypto";
import { Deferred, FakeWorld, settle } from "../../../../src/base/mod.ts";
import { CONFIGMAPS, NAMESPACES, PODS, SECRETS } from "../../../../src/api/mod.ts";
import type { SharedInformer } from "../../../../src/cache/mod.ts";
import {
  type ControllerContext,
  type ControllerDescriptor,
  type ControllerDrivers,
  type ControllerNeeds,
  DriverError,
  FolderError,
  needsOf,
  SigningError,
  UndeclaredNeedError,
} from "../../../../src/controllers/mod.ts";
import { mayWatch } from "../../../../src/manager/groups/group_access.ts";
import { Port } from "../../../../src/manager/groups/port.ts";
import type { PortFailure, PortReply } from "../../../../src/manager/groups/port_messages.ts";
import { PortServer } from "../../../../src/manager/groups/port_server.ts";
import { portDrivers, portFolders, portSigner } from "../../../../src/manager/groups/port_supplies.ts";
import type { Topic } from "../../../../src/manager/hub/mod.ts";
import { limited } from "../../../../src/manager/supplies/mod.ts";
import { OpenSupplies } from "../../../../src/manager/mod.ts";
import { GroupRig } from "./rig.ts";

const NAME = "made-up-controller";
const TOKENS = { namespace: "kube-system", fieldSelector: "type=bootstrap.kubernetes.io/token" };
const NEEDS: ControllerNeeds = {
  informers: [{ resource: SECRETS, ...TOKENS }, { resource: CONFIGMAPS, labelSelector: "app=web" }],
  files: ["root-ca-file"],
  keys: ["service-account-private-key-file"],
};
const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const KEY = privateKey.export({ format: "pem", type: "sec1" }) as string;
const PATHS: Readonly<Record<string, string>> = {
  "root-ca-file": "/ca",
  "service-account-private-key-file": "/key",
  "client-ca-file": "/client-ca",
  "cluster-signing-key-file": "/key",
};

/** A group with one controller, which does in `build` what it is told. */
async function setUp(needs: ControllerNeeds, build: (context: ControllerContext) => unknown = () => {}) {
  let context: ControllerContext | undefined;
  const row: ControllerDescriptor = {
    name: NAME,
    needs,
    build: (given) => {
      context = given;
      build(given);
      return {
        run: (signal) =>
          new Promise((resolve) => {
            if (signal.aborted) resolve();
            signal.addEventListener("abort", () => resolve());
          }),
      };
    },
  };
  const other: ControllerDescriptor = { ...row, name: "another-controller", needs: { keys: Object.keys(PATHS) } };
  const rig: GroupRig = new GroupRig({
    rows: [row, other],
    assignments: [{ name: "a", controllers: [NAME] }],
    file: (flag) => ({ path: PATHS[flag] ?? "" }),
    files: { "/ca": "one", "/key": KEY, "/client-ca": "not for this group" },
  });
  await rig.supplies.read();
  return { rig, context: () => context! };
}

const secret = (name: string, type: string, namespace = "kube-system") => ({
  metadata: { name, namespace },
  type,
  data: {},
});
const configMap = (name: string, labels: Record<string, string>) => ({
  metadata: { name, namespace: "default", labels },
});

Deno.test("a group gets the limited informers that its rows declare, one for each scope", async () => {
  const informers: SharedInformer<object>[] = [];
  const { rig } = await setUp(NEEDS, ({ informers: factory }) => {
    for (let i = 0; i < 2; i++) {
      informers.push(
        factory.informer(SECRETS, ["type"], TOKENS),
        factory.informer(CONFIGMAPS, [], { labelSelector: "app=web" }),
        factory.informer(CONFIGMAPS, []),
      );
    }
  });
  await using _ = rig;
  for (const name of ["kube-system"]) await rig.client.create(NAMESPACES, { metadata: { name } }).catch(() => {});
  await rig.client.create(SECRETS, secret("bootstrap-token-abcdef", "bootstrap.kubernetes.io/token"));
  await rig.client.create(SECRETS, secret("other", "Opaque"));
  await rig.client.create(SECRETS, secret("bootstrap-token-abcdef", "bootstrap.kubernetes.io/token", "default"));
  await rig.client.create(CONFIGMAPS, configMap("mine", { app: "web" }));
  await rig.client.create(CONFIGMAPS, configMap("other", {}));
  await rig.world.clock.advance(2000);
  assertEquals(rig.failures(), []);
  assertEquals(new Set(informers).size, 3);
  const names = informers.slice(0, 3).map(({ indexer }) =>
    indexer.list().map((object) => (object as { metadata: { name: string } }).metadata.name).sort()
  );
  assertEquals([names[0], names[1], names[2].includes("other")], [["bootstrap-token-abcdef"], ["mine"], true]);
});

Deno.test("a group gets the files that its rows declare, their changes, and signatures; the key stays in the main thread", async () => {
  const { rig, context } = await setUp(NEEDS);
  await using _ = rig;
  const stop = new AbortController();
  const following = rig.supplies.follow(stop.signal);
  await rig.world.clock.advance(1000);
  const { files, signer } = context();
  assertEquals(files.text("root-ca-file"), "one");
  const heard: string[] = [];
  files.onChange("root-ca-file", (text) => heard.push(text));
  rig.world.fileContents.set("/ca", "two");
  await rig.world.clock.advance(12_000);
  assertEquals([files.text("root-ca-file"), heard], ["two", ["two"]]);
  const data = new TextEncoder().encode("header.payload");
  let signed: Awaited<ReturnType<typeof signer.sign>> | undefined;
  void signer.sign("service-account-private-key-file", "ES256", data).then((value) => signed = value);
  for (let i = 0; i < 200 && !signed; i++) {
    await new Promise((resolve) => setTimeout(resolve, 1)); // WebCrypto works in threads of its own
    await rig.world.clock.advance(10);
  }
  const how = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("spki", signed!.publicKey, how, false, ["verify"]);
  assert(await crypto.subtle.verify(how, key, signed!.signature, data));
  rig.thread("a").throwError("out of luck");
  await rig.world.clock.advance(10_000);
  assertEquals(context().files.text("root-ca-file"), "two", "also after a restart");
  const told = JSON.stringify(rig.thread("a").settings);
  assert(!told.includes("PRIVATE KEY") && !told.includes("not for this group"), told);
  stop.abort();
  await following;
});

/** What a controller that declares something else asks for in vain. */
const UNDECLARED: readonly (readonly [what: string, ask: (context: ControllerContext) => unknown, error: string])[] = [
  ["Secrets", ({ informers }) => informers.informer(SECRETS), "an informer of"],
  ["other Secrets", ({ informers }) => informers.informer(SECRETS, [], { namespace: "default" }), "an informer of"],
  ["more Secrets", ({ informers }) => informers.informer(SECRETS, [], { namespace: "kube-system" }), "an informer of"],
  ["part of a kind", ({ informers }) => informers.informer(PODS, [], { namespace: "default" }), "an informer of"],
  ["a file", ({ files }) => files.text("client-ca-file"), "the file of --client-ca-file"],
  ["a file's changes", ({ files }) => files.onChange("client-ca-file", () => {}), "the file of --client-ca-file"],
  ["a key as a file", ({ files }) => files.text("service-account-private-key-file"), "the file of --service-account"],
];

for (const [what, ask, error] of UNDECLARED) {
  Deno.test(`a controller that asks for ${what} without declaring it is not built`, async () => {
    const { rig } = await setUp(NEEDS, (context) => assertThrows(() => ask(context), UndeclaredNeedError, error));
    await using _ = rig;
    await rig.world.clock.advance(1000);
    assertEquals(rig.failures(), []);
  });
}

Deno.test("GroupRunner: a controller that asks for what its row does not declare cannot be built, and the group says what it asked for", async () => {
  const { rig } = await setUp({}, ({ informers }) => informers.informer(SECRETS));
  await using _ = rig;
  let why = "";
  void rig.groups.hopeless.then((reason) => why = reason);
  rig.groups.lead();
  await rig.world.clock.advance(1000);
  assertStringIncludes(why, 'Cannot give a controller an informer of {"plural":"secrets"}: its row must declare it');
});

/** A signer at a group's end of a port, its main thread, and how many are signed there at the same time. */
function portRig(needs: ControllerNeeds, allDrivers?: ControllerDrivers) {
  const world = new FakeWorld();
  const all = new OpenSupplies(world, needsOf([{ needs: { keys: Object.keys(PATHS) } }]), () => ({ text: KEY }));
  const supplies = { ...all, ...allDrivers && { drivers: allDrivers } };
  const { signer, folders, drivers } = limited(supplies, needsOf([{ needs }]));
  const answers: (PortReply | PortFailure)[] = [];
  const port: Port = new Port({ postMessage: (message) => server.receive(structuredClone(message)) });
  const server: PortServer = new PortServer({
    port: {
      postMessage: (answer) => {
        answers.push(answer);
        port.receive(structuredClone(answer));
      },
    },
    clock: world.clock,
    access: { transport: () => () => Promise.reject(new Error("nothing is sent")) },
    signer,
    folders,
    drivers,
  });
  return {
    world,
    server,
    answers,
    port: portSigner(port),
    folders: portFolders(port),
    drivers: portDrivers(port),
  };
}

const FLAG = "service-account-private-key-file";
const DATA = new TextEncoder().encode("data");

Deno.test("a group that asks for a key that no row of it declares is refused by the same error as in one thread", async () => {
  const { port } = portRig(NEEDS);
  for (const flag of ["cluster-signing-key-file", "__proto__", ""]) {
    await assertRejects(() => port.sign(flag, "ES256", DATA), UndeclaredNeedError, `the key of --${flag}: its row`);
    await assertRejects(() => port.publicKey(flag), UndeclaredNeedError, `the key of --${flag}: its row`);
  }
  await assertRejects(() => port.sign(FLAG, "RS256", DATA), SigningError, "it signs by ES256");
});

Deno.test("PortServer: at most a thousand signatures, eight folders, and a thousand calls each to the cloud and to volume drivers may be pending, and those are signed", async () => {
  const { port, server } = portRig(NEEDS);
  const signed = await Promise.allSettled(Array.from({ length: 10_000 }, () => port.sign(FLAG, "ES256", DATA)));
  assertEquals(signed.filter(({ status }) => status === "fulfilled").length, 1000);
  const reasons = new Set(signed.flatMap((each) => each.status === "rejected" ? [String(each.reason)] : []));
  const reason = `SigningError: Cannot sign with the key of --${FLAG}: 1000 of this group are already waiting`;
  assertEquals([...reasons], [reason]);
  assertEquals(server.running, 0);
  await port.sign(FLAG, "ES256", DATA);
});

Deno.test("PortServer: every query is answered once, or fails, unless it was cancelled: one of the wrong shape fails alone, whatever it holds", async () => {
  const queries: readonly unknown[] = [
    null,
    {},
    { about: "constructor" },
    { about: "signature" },
    { about: "signature", flag: {}, algorithm: [], data: "x" },
    { about: "signature", flag: [FLAG], algorithm: "ES256", data: DATA },
    { about: "signature", flag: FLAG, algorithm: "ES256", data: { buffer: 1, length: -1 } },
    { about: "signature", flag: FLAG, algorithm: "__proto__", data: DATA },
    { about: "publicKey" },
    { about: "newFolder" },
    { about: "removal" },
    { about: "removal", path: ["/tmp/x"] },
    { about: "removal", path: "/tmp/" + "x".repeat(5000) },
    { about: "request" },
    { about: "file", flag: "root-ca-file" },
  ];
  const { server, answers, port } = portRig(NEEDS);
  for (const [id, query] of queries.entries()) {
    server.receive(JSON.parse(JSON.stringify({ what: "query", id: 1000 + id, query })));
  }
  await port.sign(FLAG, "ES256", DATA);
  assertEquals(answers.map(({ what }) => what), [...queries.map(() => "failure"), "reply"]);
});

Deno.test("a group makes and removes folders if a row of it declares that, and is refused otherwise", async () => {
  const { folders, world } = portRig({ folders: true });
  const path = await folders.make();
  assertEquals((await world.files.look(path))?.isFolder, true);
  await folders.remove(path);
  assertEquals(await world.files.look(path), undefined);
  await assertRejects(() => folders.remove("/etc"), FolderError, "only supports /tmp/.+ but received provided /etc");
  const none = portRig(NEEDS).folders;
  await assertRejects(() => none.make(), UndeclaredNeedError, "folders: its row must declare it");
  await assertRejects(() => none.remove("/tmp/x"), UndeclaredNeedError, "folders: its row must declare it");
});

Deno.test("PortServer: at most a thousand signatures, eight folders, and a thousand calls each to the cloud and to volume drivers may be pending at a time", async () => {
  const { folders, server } = portRig({ folders: true });
  const made = await Promise.allSettled(Array.from({ length: 100 }, () => folders.make()));
  assertEquals(made.filter(({ status }) => status === "fulfilled").length, 8);
  assertEquals(server.running, 0);
  await folders.make();
});

/** What a thread may have watched that needs {@link NEEDS}; a thread sends what it likes. */
const TOPICS: readonly (readonly [what: string, topic: object, mayWatch: boolean])[] = [
  ["the declared Secrets", { resource: SECRETS, ...TOKENS }, true],
  ["their metadata", { resource: SECRETS, ...TOKENS, metadataOnly: true }, true],
  ["all Secrets", { resource: SECRETS }, false],
  ["Secrets of another namespace", { resource: SECRETS, ...TOKENS, namespace: "default" }, false],
  ["Secrets of the namespace without the selector", { resource: SECRETS, namespace: "kube-system" }, false],
  ["Secrets with a label selector besides", { resource: SECRETS, ...TOKENS, labelSelector: "a" }, false],
  ["the declared part of ConfigMaps", { resource: CONFIGMAPS, labelSelector: "app=web" }, true],
  ["all ConfigMaps", { resource: CONFIGMAPS, labelSelector: "" }, true],
  ["another part of them", { resource: CONFIGMAPS, labelSelector: "app=web,x" }, false],
  ["a namespace that is a path", { resource: PODS, namespace: "default/secrets?x=" }, false],
  ["a selector that is a query", { resource: PODS, labelSelector: "x&watch=true#" }, false],
  ["a selector with line ends", { resource: CONFIGMAPS, namespace: "a\nb", labelSelector: "app=web" }, false],
  ["a selector that looks like a key", { resource: SECRETS, namespace: 'kube-system","","' }, false],
  ["a namespace in an array", { resource: SECRETS, ...TOKENS, namespace: ["kube-system"] }, false],
  ["a selector with a toString", { resource: CONFIGMAPS, labelSelector: { toString: () => "" } }, false],
  ["a selector that is null", { resource: SECRETS, ...TOKENS, labelSelector: null }, false],
  ["a selector of a megabyte", { resource: CONFIGMAPS, labelSelector: "a=b,".repeat(250_000) }, false],
];

for (const [what, topic, expected] of TOPICS) {
  Deno.test(`mayWatch says ${expected} of ${what}, where part of Secrets and ConfigMaps is declared`, () => {
    assertEquals(mayWatch(topic as Topic, needsOf([{ needs: NEEDS }])), expected);
  });
}

Deno.test("DriverCalls: malformed calls are refused, and more than a thousand at a time; a group that declares no drivers gets none", async () => {
  const held = new Deferred();
  let calls = 0;
  let fails = false;
  const answer = { device: "/dev/x", isAttached: true };
  const drivers: ControllerDrivers = {
    find: () => Promise.resolve([{ name: "a/b", attaches: true }]),
    call: async () => {
      calls++;
      await held.promise;
      if (fails) throw new DriverError("disk gone");
      return answer;
    },
  };
  const { signal } = new AbortController();
  const { drivers: asked, server } = portRig({ drivers: "x" }, drivers);
  assertEquals(await asked.find(), [{ name: "a/b", attaches: true }]);
  const call = { driver: "a/b", command: "attach", args: ["{}", "n"] } as const;
  const odd: readonly unknown[] = [
    undefined,
    null,
    "x",
    { ...call, driver: 1 },
    { ...call, command: ["attach"] },
    { ...call, args: "{}" },
    { ...call, args: [1] },
    { ...call, args: ["a", "b", "c"] },
    { ...call, args: ["x".repeat(200_000)] },
  ];
  for (const each of odd) {
    await assertRejects(() => asked.call(each as typeof call, signal), DriverError, "the call is malformed");
  }
  assertEquals(calls, 0);
  const all = Promise.allSettled(Array.from({ length: 1500 }, () => asked.call(call, signal)));
  await settle();
  held.resolve();
  const reasons = (await all).flatMap((each) => each.status === "rejected" ? [String(each.reason)] : []);
  assertEquals(new Set(reasons), new Set(["DriverError: Cannot attach by a/b: 1000 calls of this group wait already"]));
  assertEquals([reasons.length, calls, server.running], [500, 1000, 0]);
  assertEquals(await asked.call(call, signal), answer);
  fails = true;
  await assertRejects(() => asked.call(call, signal), DriverError, "disk gone");
  const { drivers: undeclared } = portRig(NEEDS, drivers);
  await assertRejects(() => undeclared.find(), UndeclaredNeedError, "volume drivers");
  await assertRejects(() => undeclared.call(call, signal), UndeclaredNeedError, "volume drivers");
});
