import { assertEquals } from "@std/assert";
import { FakeClock } from "../../../../src/base/mod.ts";
import { Indexer } from "../../../../src/cache/mod.ts";
import type { Pod, ResourceV1ResourceClaim } from "../../../../src/api/mod.ts";
import { CreatedClaims } from "../../../../src/controllers/resourceclaim/created_claims.ts";
import { addIndexes } from "../../../../src/controllers/resourceclaim/indexes.ts";
import { claim, ownedBy } from "./rig.ts";

const at = (name: string, resourceVersion: string, podName = "p") =>
  claim(name, { ...ownedBy(podName), resourceVersion });

function setUp() {
  const clock = new FakeClock();
  const claims = new Indexer<ResourceV1ResourceClaim>();
  addIndexes({ pods: new Indexer<Pod>(), claims });
  const created = new CreatedClaims(clock, claims);
  const versions = (podUid = "p") =>
    created.of({ metadata: { namespace: "a", uid: podUid } }).map(({ metadata }) =>
      `${metadata?.name}@${metadata?.resourceVersion}`
    ).sort();
  return { clock, claims, created, versions };
}

Deno.test("CreatedClaims: A claim that was noted is found among those of its owner, and by its name, until the cache shows it", () => {
  const { claims, created, versions } = setUp();
  claims.add(at("a", "1"));
  created.note(at("b", "5"));
  created.note(at("c", "9", "q"));
  created.note(claim("d"));
  assertEquals([versions(), versions("q"), versions("r")], [["a@1", "b@5"], ["c@9"], []]);
  assertEquals(["a", "b", "d"].map((name) => created.find("a", name)?.metadata?.name), ["a", "b", undefined]);
  claims.add(at("b", "4"));
  created.shown(at("b", "4"));
  assertEquals(versions(), ["a@1", "b@5"]);
  claims.add(at("b", "12"));
  created.shown(at("b", "12"));
  assertEquals(versions(), ["a@1", "b@12"]);
});

Deno.test("CreatedClaims: A claim that the cache has shown before it was noted is not kept", () => {
  const { claims, created, versions } = setUp();
  claims.add(at("a", "5"));
  created.note(at("a", "5"));
  claims.delete(at("a", "5"));
  assertEquals(versions(), []);
});

Deno.test("CreatedClaims: From then on only the cache counts, so a claim that is deleted is no longer found", () => {
  const { claims, created, versions } = setUp();
  created.note(at("a", "5"));
  claims.add(at("a", "5"));
  created.shown(at("a", "5"));
  claims.delete(at("a", "6"));
  created.shown(at("a", "6"));
  assertEquals(versions(), []);
});

Deno.test("CreatedClaims: What the cache never shows is forgotten after an hour", async () => {
  const { clock, created, versions } = setUp();
  created.note(at("a", "5"));
  await clock.advance(1_800_000);
  created.note(at("b", "6"));
  await clock.advance(1_799_999);
  assertEquals(versions(), ["a@5", "b@6"]);
  await clock.advance(1);
  assertEquals(versions(), ["b@6"]);
});
