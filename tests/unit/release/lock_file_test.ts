import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { type LockFile, packagesFor } from "../../../.ci/release/lock_file.ts";

const LOCK: LockFile = {
  npm: {
    "@scope/a@1.0.0": { integrity: "sha512-YQ==", dependencies: ["b", "c@2.0.0"] },
    "b@1.1.0": { integrity: "sha512-Yg==", dependencies: ["c@1.0.0"] },
    "c@1.0.0": { integrity: "sha512-Yw==" },
    "c@2.0.0": { integrity: "sha512-ZA==", dependencies: ["@scope/a"] },
    "test-only@3.0.0": { integrity: "sha512-ZQ==" },
  },
  workspace: { dependencies: ["npm:@scope/a@1.0.0", "npm:test-only@3.0.0"] },
};

Deno.test("packagesFor finds what a package needs, in circles and in several versions, and nothing else", () => {
  const found = packagesFor(LOCK, ["@scope/a@1.0.0"]);
  assertEquals([...found.keys()], ["@scope/a@1.0.0", "b@1.1.0", "c@1.0.0", "c@2.0.0"]);
  assertEquals(found.get("@scope/a@1.0.0"), {
    name: "@scope/a",
    version: "1.0.0",
    integrity: "sha512-YQ==",
    dependencies: ["b@1.1.0", "c@2.0.0"],
  });
});

Deno.test("packagesFor refuses what deno.lock does not hold, or does not tell apart", () => {
  assertThrows(() => packagesFor(LOCK, ["d@1.0.0"]), Error, "deno.lock does not hold d@1.0.0");
  const npm = { ...LOCK.npm, "b@1.2.0": LOCK.npm["b@1.1.0"] };
  assertThrows(() => packagesFor({ ...LOCK, npm }, ["@scope/a@1.0.0"]), Error, "2 versions of b");
});

Deno.test("packagesFor understands the repository's own lock file", async () => {
  const lock: LockFile = JSON.parse(await Deno.readTextFile(new URL("../../../deno.lock", import.meta.url)));
  const [x509] = Object.keys(lock.npm).filter((id) => id.startsWith("@peculiar/x509@"));
  const names = [...packagesFor(lock, [x509]).values()].map(({ name }) => name);
  assert(names.includes("tsyringe"));
  assertFalse(names.includes("fast-check"));
});

Deno.test("deno.lock holds no package for one platform alone, as whoever runs the sources would fetch its program too", async () => {
  const lock: LockFile = JSON.parse(await Deno.readTextFile(new URL("../../../deno.lock", import.meta.url)));
  assertEquals(Object.keys(lock.npm).filter((id) => "os" in lock.npm[id]), []);
});
