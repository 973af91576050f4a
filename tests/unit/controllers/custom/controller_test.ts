import { assertEquals, assertThrows } from "@std/assert";
import { CONFIGMAPS, SECRETS } from "../../../../src/api/mod.ts";
import { controllerFor, defineResource, type ReconcileResult } from "../../../../src/controllers/mod.ts";
import { settle } from "../../../../src/base/mod.ts";
import { configMap, controlledBy, CustomRig, realm, REALMS, type Site, site, SITES } from "./rig.ts";

/** The rig makes versions up. */
function withoutVersions(causes: readonly string[]): string {
  return causes.map((cause) => cause.replace(/ at \d+$/, "")).join(", ");
}

/** A controller of Sites that notes what it was called with. */
function recording(result: (site: Site, call: number) => ReconcileResult | void = () => {}) {
  const calls: string[] = [];
  const controller = controllerFor(SITES).owns(CONFIGMAPS).reconcile((site, { causes }) => {
    calls.push(`${site.metadata?.namespace}/${site.metadata?.name}: ${withoutVersions(causes)}`);
    return result(site, calls.length);
  });
  return { calls, controller };
}

Deno.test("defineResource makes up the plural from the kind, and is in namespaces by default", () => {
  assertEquals(SITES, { group: "example.com", version: "v1", kind: "Site", plural: "sites", namespaced: true });
  const boxes = defineResource({ group: "x.y", version: "v1", kind: "Box", plural: "boxes", namespaced: false });
  assertEquals([boxes.plural, boxes.namespaced], ["boxes", false]);
});

Deno.test("ControllerBuilder: every change of an object of the kind, of an owned child, or of a watched object leads to a reconcile after it: of the kind", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording();
  await rig.start(controller, [[SITES, site("s")]]);
  await rig.event("MODIFIED", SITES, site("s"));
  await rig.event("ADDED", SITES, site("t"));
  assertEquals(calls.splice(0), ["a/s: site/a/s added", "a/s: site/a/s updated", "a/t: site/a/t added"]);
});

Deno.test("ControllerBuilder: every change of an owned child leads to a reconcile of its owner", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording();
  await rig.start(controller, [[SITES, site("s")], [SITES, site("t")]]);
  calls.length = 0;
  await rig.event("ADDED", CONFIGMAPS, configMap("c", controlledBy(site("s"))));
  assertEquals(calls.splice(0), ["a/s: configmap/a/c added"]);
  await rig.event("MODIFIED", CONFIGMAPS, configMap("c", controlledBy(site("t"))));
  assertEquals(
    calls.splice(0).sort(),
    ["a/s: configmap/a/c updated", "a/t: configmap/a/c updated"],
    "old and new owner",
  );
  await rig.event("DELETED", CONFIGMAPS, configMap("c", controlledBy(site("t"))));
  assertEquals(calls.splice(0), ["a/t: configmap/a/c deleted"]);
});

Deno.test("ControllerBuilder: children of nobody, of another kind, or of another group's kind are not owned", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording();
  await rig.start(controller, [[SITES, site("s")]]);
  calls.length = 0;
  await rig.event("ADDED", CONFIGMAPS, configMap("c1"));
  await rig.event("ADDED", CONFIGMAPS, configMap("c2", controlledBy(site("s"), REALMS)));
  await rig.event("ADDED", CONFIGMAPS, configMap("c3", controlledBy(site("s"), { ...SITES, group: "other.com" })));
  assertEquals(calls, []);
  await rig.event("ADDED", CONFIGMAPS, configMap("c4", controlledBy(site("s"), { ...SITES, version: "v2" })));
  assertEquals(calls, ["a/s: configmap/a/c4 added"], "the version does not matter");
});

Deno.test("ControllerBuilder: a cluster-scoped owner is reconciled for children in any namespace", async () => {
  await using rig = new CustomRig();
  const calls: (string | undefined)[] = [];
  const controller = controllerFor(REALMS).owns(CONFIGMAPS).reconcile((realm, context) => {
    const children = context.children(CONFIGMAPS).map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
    calls.push(`${realm.metadata?.name} has ${children.sort().join(" ")}`);
  });
  const owned = controlledBy(realm("r"), REALMS);
  await rig.start(controller, [[REALMS, realm("r")], [CONFIGMAPS, configMap("c", owned)]]);
  calls.length = 0;
  await rig.event("ADDED", CONFIGMAPS, configMap("d", { namespace: "b", ...owned }));
  assertEquals(calls, ["r has a/c b/d"]);
});

Deno.test("ControllerBuilder: every change of a watched object leads to reconciles of those it concerns", async () => {
  await using rig = new CustomRig();
  const calls: string[] = [];
  const controller = controllerFor(SITES)
    .watches(SECRETS, (secret) => Object.keys(secret.metadata?.labels ?? {}).map((name) => `a/${name}`))
    .reconcile(({ metadata }, { causes }) => void calls.push(`${metadata?.name}: ${withoutVersions(causes)}`));
  await rig.start(controller, [[SITES, site("s")], [SITES, site("t")]]);
  calls.length = 0;
  const secret = (...names: string[]) =>
    configMap("x", { labels: Object.fromEntries(names.map((name) => [name, ""])) });
  await rig.event("ADDED", SECRETS, secret("s", "gone"));
  assertEquals(calls.splice(0), ["s: secret/a/x added"]);
  await rig.event("MODIFIED", SECRETS, secret("t"));
  assertEquals(calls.splice(0).sort(), ["s: secret/a/x updated", "t: secret/a/x updated"]);
  await rig.event("DELETED", SECRETS, secret("t"));
  assertEquals(calls, ["t: secret/a/x deleted"]);
});

Deno.test("ControllerBuilder: reconciles of one object never overlap; several changes while one waits lead to one", async () => {
  await using rig = new CustomRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  const causes: string[] = [];
  let running = 0;
  const controller = controllerFor(SITES).workers(5).reconcile(async (_, context) => {
    assertEquals(++running, 1);
    causes.push(withoutVersions(context.causes));
    await promise;
    running--;
  });
  await rig.start(controller, [[SITES, site("s")]]);
  for (let i = 0; i < 3; i++) await rig.event("MODIFIED", SITES, site("s"));
  assertEquals(causes, ["site/a/s added"]);
  resolve();
  await settle();
  assertEquals(causes, ["site/a/s added", "site/a/s updated, site/a/s updated, site/a/s updated"]);
});

Deno.test("ControllerBuilder.workers says how many objects are reconciled at once", async () => {
  for (const [workers, expected] of [[undefined, 1], [2, 2]] as const) {
    await using rig = new CustomRig();
    const { promise, resolve } = Promise.withResolvers<void>();
    let started = 0;
    const builder = workers === undefined ? controllerFor(SITES) : controllerFor(SITES).workers(workers);
    const controller = builder.reconcile(() => {
      started++;
      return promise;
    });
    await rig.start(controller, ["s", "t", "u"].map((name) => [SITES, site(name)]));
    assertEquals(started, expected);
    resolve();
  }
});

Deno.test("ControllerBuilder: a reconcile that throws is tried again, later each time", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording((_, call) => {
    if (call <= 3) throw new Error(`failed ${call}`);
  });
  await rig.start(controller, [[SITES, site("s")]]);
  for (const [ms, expected] of [[4, 1], [1, 2], [9, 2], [1, 3], [20, 4], [60_000, 4]]) {
    await rig.world.clock.advance(ms);
    assertEquals(calls.length, expected);
  }
  assertEquals(calls[1], "a/s: retry: failed 1");
  const errors = rig.world.log.lines.filter(({ severity }) => severity === "error");
  assertEquals(errors.map(({ logger }) => logger), Array(3).fill("site-controller"));
});

Deno.test("ControllerBuilder: an object that is gone is not reconciled", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording();
  await rig.start(controller, [[SITES, site("s")], [CONFIGMAPS, configMap("c", controlledBy(site("s")))]]);
  calls.length = 0;
  await rig.event("DELETED", SITES, site("s"));
  await rig.event("DELETED", CONFIGMAPS, configMap("c", controlledBy(site("s"))));
  assertEquals(calls, []);
});

Deno.test("ControllerBuilder: nothing is reconciled before the caches of all that is read have synced", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording();
  await rig.start(controller);
  assertEquals(calls, []);
  await rig.sync([[SITES, site("s")]]);
  assertEquals(calls, ["a/s: site/a/s added"]);
});

Deno.test("ControllerBuilder reconciles again after requeueAfterMs, although nothing changes", async () => {
  await using rig = new CustomRig();
  const { calls, controller } = recording((_, call) => call === 1 ? { requeueAfterMs: 1500 } : {});
  await rig.start(controller, [[SITES, site("s")]]);
  await rig.world.clock.advance(1499);
  assertEquals(calls.length, 1);
  await rig.world.clock.advance(1);
  assertEquals(calls[1], "a/s: requeueAfterMs passed");
  await rig.world.clock.advance(60_000);
  assertEquals(calls.length, 2, "the second did not ask for more");
});

Deno.test("ControllerBuilder is not changed by what is added to it", async () => {
  await using rig = new CustomRig();
  const sites = controllerFor(SITES);
  sites.owns(CONFIGMAPS);
  const controller = sites.reconcile((_, context) => {
    assertThrows(() => context.lister(CONFIGMAPS), TypeError, "neither owns nor watches");
  });
  await rig.start(controller, [[SITES, site("s")]]);
  assertEquals(rig.world.log.lines.filter(({ severity }) => severity === "error"), []);
});
