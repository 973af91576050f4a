import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  CLUSTERROLES,
  CONFIGMAPS,
  type KubeObject,
  NAMESPACES,
  newControllerRef,
  type Resource,
  SECRETS,
} from "../../../../src/api/mod.ts";
import { stringifyJson } from "../../../../src/base/mod.ts";
import { controllerFor, type ReconcileContext } from "../../../../src/controllers/mod.ts";
import { mergePatchBetween } from "../../../../src/controllers/custom/status.ts";
import { configMap, controlledBy, CustomRig, realm, REALMS, type Site, site, SITES } from "./rig.ts";

type Use = (context: ReconcileContext<Site>) => void | Promise<void>;

/** Reconciles `owner` once, by `use`; fails as that fails. */
async function reconcileOnce(owner: Site, use: Use, children: readonly KubeObject[] = []): Promise<CustomRig> {
  await using rig = new CustomRig();
  const resource = owner.metadata?.namespace ? SITES : REALMS;
  let failure: unknown;
  const controller = controllerFor(resource).owns(CONFIGMAPS).reconcile(async (_, context) => {
    try {
      await use(context);
    } catch (error) {
      failure = error;
    }
  });
  await rig.start(controller, [[resource, owner], ...children.map((child) => [CONFIGMAPS, child] as const)]);
  if (failure) throw failure;
  return rig;
}

Deno.test("ReconcileContext.apply sends the child with its owner and the owner's namespace, by force", async () => {
  const owner = site("s");
  const other = { ...newControllerRef(realm("r"), REALMS), controller: false };
  const rig = await reconcileOnce(owner, async (context) => {
    const child = { metadata: { name: "c", labels: { l: "1" }, ownerReferences: [other] }, data: { k: "v" } };
    const applied = await context.apply(CONFIGMAPS, child);
    assertEquals(applied.data, { k: "v" });
  });
  assertEquals(rig.writes, [{
    text: "apply configmaps a/c",
    body: {
      data: { k: "v" },
      metadata: {
        name: "c",
        namespace: "a",
        labels: { l: "1" },
        ownerReferences: [other, newControllerRef(owner, SITES)],
      },
      options: { fieldManager: "site-controller", force: true },
    },
  }]);
});

Deno.test("ReconcileContext.apply of a cluster-scoped owner reaches every namespace, and the cluster", async () => {
  const rig = await reconcileOnce(realm("r"), async (context) => {
    await context.apply(CONFIGMAPS, { metadata: { namespace: "b", name: "c" } });
    await context.apply(CLUSTERROLES, { metadata: { name: "d" } });
  });
  assertEquals(rig.writes.map(({ text }) => text), ["apply configmaps b/c", "apply clusterroles /d"]);
});

const REFUSED: { title: string; owner: Site; resource: Resource; child: KubeObject; message: string }[] = [
  {
    title: "a child in another namespace",
    owner: site("s"),
    resource: CONFIGMAPS,
    child: { metadata: { namespace: "b", name: "c" } },
    message: `Cannot apply ConfigMap "c" as a child of Site "a/s": its namespace "b" is not that of its owner`,
  },
  {
    title: "a cluster-scoped child of an owner in a namespace",
    owner: site("s"),
    resource: NAMESPACES,
    child: { metadata: { name: "n" } },
    message:
      `Cannot apply Namespace "n" as a child of Site "a/s": an object in a namespace cannot own a cluster-scoped one`,
  },
  {
    title: "a child without a namespace of a cluster-scoped owner",
    owner: realm("r"),
    resource: CONFIGMAPS,
    child: { metadata: { name: "c" } },
    message: `Cannot apply ConfigMap "c" as a child of Realm "r": it needs a metadata.namespace`,
  },
];

for (const { title, owner, resource, child, message } of REFUSED) {
  Deno.test(`ReconcileContext.apply refuses ${title}, which the garbage collector would delete`, async () => {
    const rig = await reconcileOnce(owner, async (context) => {
      await assertRejects(() => context.apply(resource, child), TypeError, message);
    });
    assertEquals(rig.writes, []);
  });
}

Deno.test("ReconcileContext.children gives the cached objects that the object controls, by uid", async () => {
  const owner = site("s");
  const children = [
    configMap("mine", controlledBy(owner)),
    configMap("of-former", controlledBy(site("s", { uid: "former" }))),
    configMap("only-owned", { ownerReferences: [{ ...newControllerRef(owner, SITES), controller: false }] }),
    configMap("free"),
  ];
  await reconcileOnce(owner, (context) => {
    assertEquals(context.children(CONFIGMAPS).map(({ metadata }) => metadata?.name), ["mine"]);
  }, children);
});

Deno.test("ReconcileContext.lister gives the caches that are kept, and refuses those that would stay empty", async () => {
  await reconcileOnce(site("s"), (context) => {
    assertEquals(context.lister(SITES).list().map(({ metadata }) => metadata?.name), ["s"]);
    assertEquals(context.lister(CONFIGMAPS).get("a", "c")?.metadata?.uid, "uid-c");
    assertThrows(
      () => context.lister(SECRETS),
      TypeError,
      "Cannot read v1/secrets from a cache: site-controller neither owns nor watches them",
    );
    assertThrows(() => context.lister({ ...SITES, version: "v2" }), TypeError, "Cannot read example.com/v2/sites");
  }, [configMap("c")]);
});

Deno.test("ReconcileContext.event records events about the object", async () => {
  const rig = await reconcileOnce(site("s"), (context) => context.event("Normal", "Published", "it is up"));
  assertEquals(rig.recorder.lines, ["Normal Published a/s it is up"]);
});

Deno.test("ReconcileContext.log carries the controller's name", async () => {
  const rig = await reconcileOnce(site("s"), (context) => context.log.info("hello"));
  assertEquals(rig.world.log.lines.find(({ message }) => message === "hello")?.logger, "site-controller");
});

const STATUSES: { title: string; before?: Site["status"]; wanted: NonNullable<Site["status"]>; patch?: unknown }[] = [
  { title: "a first status", wanted: { phase: "Ready" }, patch: { phase: "Ready" } },
  {
    title: "what differs",
    before: { phase: "Ready", why: "x" },
    wanted: { phase: "Up", why: "x" },
    patch: { phase: "Up" },
  },
  {
    title: "null for what is gone",
    before: { phase: "Failed", why: "x" },
    wanted: { phase: "Failed" },
    patch: { why: null },
  },
  {
    title: "lists as a whole",
    before: { conditions: [{ type: "A", message: "m" }, { type: "B" }] },
    wanted: { conditions: [{ type: "A" }, { type: "B" }] },
    patch: { conditions: [{ type: "A" }, { type: "B" }] },
  },
  { title: "nothing when unchanged", before: { phase: "Ready" }, wanted: { phase: "Ready" } },
  { title: "nothing for absent or undefined", before: { phase: "Ready" }, wanted: { phase: "Ready", why: undefined } },
];

for (const { title, before, wanted, patch } of STATUSES) {
  Deno.test(`ReconcileContext.setStatus writes ${title}`, async () => {
    const owner = site("s", {}, { status: before });
    const rig = await reconcileOnce(owner, (context) => context.setStatus(wanted));
    const write = { text: "patch:merge sites/status a/s", body: { status: patch } };
    assertEquals(rig.writes, patch === undefined ? [] : [write]);
  });
}

Deno.test("mergePatchBetween goes into objects, and takes their inherited names for absent", () => {
  const before = { counts: { a: 1, b: 2 }, same: { x: [1] } };
  assertEquals(mergePatchBetween(before, { counts: { a: 1, c: 3 }, same: { x: [1] } }), { counts: { b: null, c: 3 } });
  assertEquals(mergePatchBetween({}, { constructor: "x" }), { constructor: "x" });
  assertEquals(mergePatchBetween({ list: [1] }, { list: { a: 1 } }), { list: { a: 1 } });
});

Deno.test("mergePatchBetween finds what differs at any depth", () => {
  const nested = (inside: string) => JSON.parse('{"a":'.repeat(20_000) + inside + "}".repeat(20_000));
  assertEquals(mergePatchBetween(nested('{"x":1}'), nested('{"x":1}')), undefined);
  assertEquals(
    stringifyJson(mergePatchBetween(nested('{"x":1,"y":2}'), nested('{"y":2}'))),
    stringifyJson(nested('{"x":null}')),
  );
});
