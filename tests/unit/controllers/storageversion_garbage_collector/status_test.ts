import { assertEquals } from "@std/assert";
import type { StorageVersion } from "../../../../src/api/mod.ts";
import { statusWith } from "../../../../src/controllers/storageversion_garbage_collector/status.ts";

const NOW = Date.UTC(2026, 0, 2);
const BEFORE = "2026-01-01T00:00:00Z";

function entry(apiServerID: string, encodingVersion: string) {
  return { apiServerID, encodingVersion, decodableVersions: ["v1", "v2"], servedVersions: ["v1"] };
}

function version(isCommon: boolean, commonEncodingVersion?: string): StorageVersion {
  const condition = {
    type: "AllEncodingVersionsEqual",
    status: isCommon ? "True" : "False",
    reason: isCommon ? "CommonEncodingVersionSet" : "CommonEncodingVersionUnset",
    message: isCommon ? "Common encoding version set" : "Common encoding version unset",
    lastTransitionTime: BEFORE,
    observedGeneration: 3,
  };
  return { metadata: { name: "g.r", generation: 7 }, status: { commonEncodingVersion, conditions: [condition] } };
}

Deno.test("statusWith: servers that agree have a version in common, and others do not", () => {
  const entries = [entry("b", "v2"), entry("c", "v2")];
  assertEquals(statusWith({ metadata: {} }, entries, NOW), {
    commonEncodingVersion: "v2",
    storageVersions: entries,
    conditions: [{
      type: "AllEncodingVersionsEqual",
      status: "True",
      reason: "CommonEncodingVersionSet",
      message: "Common encoding version set",
      observedGeneration: undefined,
      lastTransitionTime: "2026-01-02T00:00:00Z",
    }],
  });
  const apart = statusWith(version(true, "v1"), [entry("b", "v2"), entry("c", "v3")], NOW);
  assertEquals("commonEncodingVersion" in apart, false);
  assertEquals(apart.conditions?.map(({ status, reason, message }) => [status, reason, message]), [[
    "False",
    "CommonEncodingVersionUnset",
    "Common encoding version unset",
  ]]);
});

Deno.test("statusWith: the time moves with the status, and with a version in common that becomes another one", () => {
  const table: readonly [StorageVersion, string[], string][] = [
    [version(true, "v1"), ["v1", "v1"], BEFORE],
    [version(true, "v1"), ["v2"], "2026-01-02T00:00:00Z"],
    [version(true, "v1"), ["v1", "v2"], "2026-01-02T00:00:00Z"],
    [version(false), ["v1", "v2"], BEFORE],
    [version(false), ["v2"], "2026-01-02T00:00:00Z"],
  ];
  for (const [before, encodings, time] of table) {
    const { conditions } = statusWith(before, encodings.map((encoding, i) => entry(`s${i}`, encoding)), NOW);
    assertEquals(
      conditions?.map(({ lastTransitionTime, observedGeneration }) => [lastTransitionTime, observedGeneration]),
      [
        [time, 7],
      ],
    );
  }
});
