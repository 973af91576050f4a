import { assertEquals, assertRejects } from "@std/assert";
import { parseJson } from "../../../../src/base/mod.ts";
import {
  type ControllerRevision,
  CONTROLLERREVISIONS,
  type PodTemplateSpec,
  STATEFULSETS,
} from "../../../../src/api/mod.ts";
import {
  adoptRevisions,
  beyondLimit,
  byRevision,
  holds,
  newRevision,
  revisionDataOf,
  revisionHash,
  revisionName,
  revisionNumber,
  TemplateEquivalence,
  templateOfRevision,
} from "../../../../src/controllers/revisions/mod.ts";
import { revisionVectors } from "../../rules/data/revision_vectors.ts";
import { RecordedClient } from "../recorded_client.ts";
import { statusError } from "../status_errors.ts";
import { revision, statefulSet, template } from "../statefulset/fixtures.ts";

const vectors = await revisionVectors();

Deno.test("revisionDataOf() gives the bytes, and revisionHash() the hashes, of every vector", () => {
  for (const { name, template, data, statefulSetHash } of vectors) {
    for (const numbers of ["double", "exact"] as const) {
      assertEquals(revisionDataOf(template, numbers).text, data, name);
    }
    for (const [count, hash] of Object.entries(statefulSetHash)) {
      assertEquals(revisionHash(revisionDataOf(template, "double"), Number(count)), hash, name);
    }
  }
});

Deno.test("revisionDataOf() writes integers beyond 2^53 as doubles for StatefulSets, exactly for DaemonSets", () => {
  const seconds = '{"spec":{"containers":[],"tolerations":[{"tolerationSeconds":9223372036854775807}]}}';
  const big = parseJson(seconds) as PodTemplateSpec;
  const numberIn = (text: string) => /"tolerationSeconds":(\d+)/.exec(text)?.[1];
  assertEquals(numberIn(revisionDataOf(big, "double").text), "9223372036854776000");
  assertEquals(numberIn(revisionDataOf(big, "exact").text), "9223372036854775807");
});

Deno.test("holds() compares bytes: a null that another version wrote makes another revision", () => {
  const data = revisionDataOf(template(), "double");
  assertEquals(holds(revision("i:1", 1), data), true);
  assertEquals(holds(revision("i:2", 1), data), false);
  assertEquals(holds(revision("i:1", 1, { data: withCreationTimestamp() }), data), false);
});

/** As a version up to 1.33 wrote it. */
function withCreationTimestamp(image?: string): ControllerRevision["data"] {
  const { metadata, spec } = template(image);
  return { spec: { template: { $patch: "replace", metadata: { ...metadata, creationTimestamp: null }, spec } } };
}

Deno.test("TemplateEquivalence: a revision means the same if its template, with the API server's defaults of today, gives the data of today", () => {
  const equivalence = new TemplateEquivalence();
  const data = revisionDataOf(template(), "double");
  const isSame = (revision: ControllerRevision) => equivalence.isSame(statefulSet(), data, revision);
  const stored = (data: ControllerRevision["data"], resourceVersion: string) =>
    revision("i:1", 1, { data, resourceVersion });
  assertEquals(isSame(stored(withCreationTimestamp(), "1")), true);
  assertEquals(isSame(stored(withCreationTimestamp("i:2"), "2")), false);
  const { metadata, spec } = template();
  const bare = {
    metadata,
    spec: { containers: [{ name: "c", image: "i:1" }], securityContext: spec!.securityContext },
  };
  assertEquals(
    isSame(stored({ spec: { template: { $patch: "replace", ...bare } } }, "3")),
    true,
    "defaults are put in",
  );
  assertEquals(isSame(stored({ spec: { replicas: 1 } }, "4")), false, "no template at all");
  const odd = { ...bare, spec: { ...bare.spec, formerField: 1 } };
  assertEquals(isSame(stored({ spec: { template: odd } }, "5")), true, "fields that have gone mean nothing");
});

Deno.test("TemplateEquivalence: a positive answer is remembered for this parent at its generation and this version of the revision", () => {
  const equivalence = new TemplateEquivalence();
  const data = revisionDataOf(template(), "double");
  const parent = statefulSet({ metadata: { namespace: "a", name: "web", uid: "u", generation: 4 } });
  assertEquals(equivalence.isSame(parent, data, revision("i:1", 1, { resourceVersion: "9" })), true);
  const other = revision("i:2", 1, { resourceVersion: "9" });
  assertEquals(equivalence.isSame(parent, data, other), true, "asked by version alone");
  const newer = { ...parent, metadata: { ...parent.metadata, generation: 5 } };
  assertEquals(equivalence.isSame(newer, data, other), false);
});

Deno.test("templateOfRevision() gives the template without the order to replace", () => {
  assertEquals(templateOfRevision(revision("i:1", 1)), template());
  assertEquals(templateOfRevision({ revision: 1, data: { spec: {} } }), undefined);
  assertEquals(templateOfRevision({ revision: 1 }), undefined);
});

Deno.test("revisionName() cuts the parent's name to 223 characters", () => {
  assertEquals(revisionName("web", "abc"), "web-abc");
  assertEquals(revisionName("x".repeat(253), "abc"), `${"x".repeat(223)}-abc`);
});

Deno.test("newRevision() has the template's labels and the hash, the parent's annotations, and its owner", () => {
  const parent = statefulSet({ metadata: { namespace: "a", name: "web", uid: "u", annotations: { team: "blue" } } });
  const data = revisionDataOf(template(), "double");
  const made = newRevision({
    parent,
    parentResource: STATEFULSETS,
    template: template(),
    data,
    revision: 7,
    hash: "h",
    hashLabel: "controller.kubernetes.io/hash",
  });
  assertEquals(made.metadata?.labels, { app: "web", "controller.kubernetes.io/hash": "h" });
  assertEquals([made.metadata?.name, made.metadata?.annotations, made.revision], ["web-h", { team: "blue" }, 7]);
  assertEquals(made.metadata?.ownerReferences?.[0].controller, true);
  assertEquals(holds(made, data), true);
});

Deno.test("byRevision orders by number, then age, then name", () => {
  const at = (number: number, name: string, creationTimestamp: string) =>
    revision("i:1", number, { name, creationTimestamp });
  const [young, old] = ["2026-01-01T00:00:02Z", "2026-01-01T00:00:01Z"];
  const sorted = [at(2, "a", old), at(1, "d", young), at(1, "c", young), at(1, "z", old)].sort(byRevision);
  assertEquals(sorted.map(({ metadata }) => metadata?.name), ["z", "c", "d", "a"]);
});

Deno.test("byRevision understands a number beyond 2^53, as somebody may have given by hand", () => {
  const big = { ...revision("i:1", 1, { name: "big" }), ...parseJson('{"revision":9223372036854775807}') as object };
  assertEquals([big, revision("i:2", 2)].sort(byRevision).at(-1)?.metadata?.name, "big");
  assertEquals(revisionNumber(big), 9223372036854775807);
});

Deno.test("beyondLimit() names the oldest that nobody uses, and none where there is no limit", () => {
  const revisions = [1, 2, 3, 4, 5].map((number) => revision("i:1", number, { name: String(number) }));
  const namesBeyond = (limit: number) =>
    beyondLimit(revisions, { limit, isLive: ({ revision }) => revision === 2 }).map(({ metadata }) => metadata?.name);
  assertEquals(namesBeyond(2), ["1", "3"]);
  assertEquals(namesBeyond(0), ["1", "3", "4", "5"]);
  assertEquals([namesBeyond(4), namesBeyond(-1)], [[], []]);
});

Deno.test("adoptRevisions() adopts orphans after a look at the parent, and leaves owned ones alone", async () => {
  const client = new RecordedClient();
  const parent = statefulSet();
  client.store(STATEFULSETS, parent);
  const [owned, orphan] = client.store(
    CONTROLLERREVISIONS,
    revision("i:1", 1),
    revision("i:2", 2, { ownerReferences: undefined }),
  );
  await adoptRevisions([owned], { client, parent, parentResource: STATEFULSETS });
  assertEquals(client.calls, []);
  await adoptRevisions([owned, orphan], { client, parent, parentResource: STATEFULSETS });
  assertEquals(client.calls.map(({ text }) => text), [
    "get statefulsets a/web",
    `patch controllerrevisions a/${orphan.metadata?.name}`,
  ]);
});

Deno.test("adoptRevisions() fails for a parent that is gone, and at the first revision that cannot be adopted", async () => {
  const client = new RecordedClient();
  const parent = statefulSet();
  const orphans = client.store(
    CONTROLLERREVISIONS,
    revision("i:1", 1, { ownerReferences: undefined }),
    revision("i:2", 2, { ownerReferences: undefined }),
  );
  const adopt = () => adoptRevisions(orphans, { client, parent, parentResource: STATEFULSETS });
  await assertRejects(adopt, Error, "can't adopt ControllerRevisions: ");
  client.store(STATEFULSETS, parent);
  client.fail("patch", statusError(500, "InternalError", "broken"));
  await assertRejects(adopt, Error, "broken");
  assertEquals(client.writes.length, 1);
});
