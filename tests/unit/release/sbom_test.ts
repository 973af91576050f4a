import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { type LockFile, packagesFor } from "../../../.ci/release/lock_file.ts";
import { notices } from "../../../.ci/release/notices.ts";
import { sbom, type SbomOptions } from "../../../.ci/release/sbom.ts";
import { originOf } from "../../../.ci/release/base_runtime.ts";
import { licenseExpression, spdxId } from "../../../.ci/release/spdx.ts";

const RUNTIME = { deno: "2.4.2", target: "x86_64-unknown-linux-gnu", sha256: "cd".repeat(32), isGiven: false };

/** The bill of an executable with the packages that the repository's lock file pins. */
async function options(changes: Partial<SbomOptions> = {}): Promise<SbomOptions> {
  const lock: LockFile = JSON.parse(await Deno.readTextFile(new URL("../../../deno.lock", import.meta.url)));
  const imported = lock.workspace.dependencies.map((specifier) => specifier.replace("npm:", ""));
  const packages = packagesFor(lock, imported);
  return {
    version: "1.2.3",
    date: "2026-01-02T03:04:05Z",
    commit: "0123456789abcdef0123456789abcdef01234567",
    executable: "ab".repeat(32),
    imported,
    packages: new Map(
      [...packages].map(([id, each]) => [id, { ...each, license: "MIT", author: "Somebody", licenseText: "" }]),
    ),
    runtime: { ...RUNTIME, v8: "13.7.152.14-rusty" },
    ...changes,
  };
}

Deno.test("sbom has what SPDX 2.3 demands of a document", async () => {
  const document = sbom(await options());
  assertEquals([document.spdxVersion, document.dataLicense, document.SPDXID], [
    "SPDX-2.3",
    "CC0-1.0",
    "SPDXRef-DOCUMENT",
  ]);
  assertMatch(document.creationInfo.created, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  for (const creator of document.creationInfo.creators) assertMatch(creator, /^(Person|Organization|Tool): \S/);
  const namespace = new URL(document.documentNamespace);
  assertEquals(namespace.hash, "");
  assert(document.documentNamespace.endsWith("ab".repeat(32)), "another executable needs another namespace");
});

Deno.test("sbom has what SPDX 2.3 demands of each package", async () => {
  const { packages } = sbom(await options());
  const hexDigits = { SHA256: 64, SHA512: 128 };
  for (const each of packages) {
    assertMatch(each.SPDXID, /^SPDXRef-[A-Za-z0-9.-]+$/);
    assert(each.name !== "" && each.versionInfo !== "");
    assertMatch(each.supplier, /^(NOASSERTION|(Person|Organization): \S.*)$/);
    assertMatch(each.downloadLocation, /^(NOASSERTION|https:\/\/\S+)$/);
    // Files are not looked at, so there must be no word of them.
    assertEquals([each.filesAnalyzed, "packageVerificationCode" in each, "hasFiles" in each], [false, false, false]);
    for (const { algorithm, checksumValue } of each.checksums ?? []) {
      assertMatch(checksumValue, new RegExp(`^[0-9a-f]{${hexDigits[algorithm]}}$`));
    }
    for (const license of [each.licenseConcluded, each.licenseDeclared]) {
      assert(license === "NOASSERTION" || licenseExpression(license) === license, license);
    }
    const [{ referenceCategory, referenceType, referenceLocator }] = each.externalRefs;
    assertEquals([referenceCategory, referenceType], ["PACKAGE-MANAGER", "purl"]);
    assertMatch(referenceLocator, /^pkg:(npm|github|generic)\/[^@\s]+@[^\s@]+$/);
  }
  const ids = packages.map(({ SPDXID }) => SPDXID);
  assertEquals(new Set(ids).size, ids.length, "identifiers are unique");
});

Deno.test("sbom relates only what it names: one thing described, and a way from it to every other", async () => {
  const { packages, relationships } = sbom(await options());
  const known = new Set(["SPDXRef-DOCUMENT", ...packages.map(({ SPDXID }) => SPDXID)]);
  for (const { spdxElementId, relatedSpdxElement } of relationships) {
    assert(known.has(spdxElementId) && known.has(relatedSpdxElement), `${spdxElementId} -> ${relatedSpdxElement}`);
  }
  const described = relationships.filter(({ relationshipType }) => relationshipType === "DESCRIBES");
  assertEquals(described.map(({ relatedSpdxElement }) => relatedSpdxElement), ["SPDXRef-Package-kubeloop"]);
  const reached = new Set<string>();
  const visit = (id: string) => {
    if (reached.has(id)) return;
    reached.add(id);
    for (const { spdxElementId, relatedSpdxElement } of relationships) {
      if (spdxElementId === id) visit(relatedSpdxElement);
    }
  };
  visit("SPDXRef-DOCUMENT");
  assertEquals([...known].filter((id) => !reached.has(id)), []);
});

Deno.test("sbom names every package of the lock file that is needed, with its hash, and the runtime", async () => {
  const given = await options();
  const { packages } = sbom(given);
  const names = packages.map(({ name, versionInfo }) => `${name}@${versionInfo}`);
  assertEquals(names.slice(0, 3), ["kubeloop@1.2.3", "denort@2.4.2", "v8@13.7.152.14-rusty"]);
  assertEquals(names.slice(3), [...given.packages.keys()]);
  for (const { name, versionInfo, checksums } of packages.slice(3)) {
    const { integrity } = given.packages.get(`${name}@${versionInfo}`)!;
    const bytes = checksums![0].checksumValue.match(/../g)!.map((pair) => String.fromCharCode(parseInt(pair, 16)));
    assertEquals(`sha512-${btoa(bytes.join(""))}`, integrity);
  }
  const scoped = packages.find(({ name }) => name === "@peculiar/x509")!;
  const { versionInfo } = scoped;
  assertEquals(scoped.externalRefs[0].referenceLocator, `pkg:npm/%40peculiar/x509@${versionInfo}`);
});

Deno.test("sbom names the origin of the base runtime that was used: Deno's download, an npm package, or the builder", async () => {
  const script = await Deno.readTextFile(new URL("../../../.ci/base_runtime", import.meta.url));
  const [, sha256] = /^sha=(\w+)$/m.exec(script)!;
  const [, name, version] = /npm pack --silent (@\S+)@(\S+)/.exec(script)!;
  const [, bytes, file] = /head -c (\d+) "\$tmp\/(\S+)"/.exec(script)!;
  assertEquals(
    originOf(RUNTIME).downloadLocation,
    "https://dl.deno.land/release/v2.4.2/denort-x86_64-unknown-linux-gnu.zip",
  );
  const fromNpm = originOf({ ...RUNTIME, sha256, isGiven: true });
  assertEquals([fromNpm.purl, fromNpm.downloadLocation], [
    `pkg:npm/${name.replace("@", "%40")}@${version}`,
    "NOASSERTION",
  ]);
  assert(fromNpm.sourceInfo.startsWith(`the first ${bytes} bytes of ${file} in the npm package ${name}@${version}`));
  assertMatch(originOf({ ...RUNTIME, isGiven: true }).sourceInfo, /given by the builder/);
  const { packages } = sbom(await options({ runtime: { ...RUNTIME, v8: "1", sha256, isGiven: true } }));
  assertEquals(packages[1].sourceInfo, fromNpm.sourceInfo);
  assertEquals(packages[1].externalRefs[0].referenceLocator, fromNpm.purl);
});

Deno.test("sbom is the same for the same executable, and refuses a package without SHA-512", async () => {
  assertEquals(JSON.stringify(sbom(await options())), JSON.stringify(sbom(await options())));
  const weak = {
    name: "a",
    version: "1.0.0",
    integrity: "sha1-YQ==",
    dependencies: [],
    license: "MIT",
    author: "",
    licenseText: "",
  };
  const changed = await options({ packages: new Map([["a@1.0.0", weak]]), imported: ["a@1.0.0"] });
  assertThrows(() => sbom(changed), Error, "a@1.0.0 has no SHA-512");
});

Deno.test("spdxId keeps to the characters that identifiers may have", () => {
  assertEquals(spdxId("npm", "@scope/a_b@1.0.0"), "SPDXRef-npm--scope-a-b-1.0.0");
});

Deno.test("licenseExpression asserts nothing where a package's words are not an expression", () => {
  for (const good of ["MIT", "0BSD", "(MIT OR Apache-2.0)", "GPL-2.0-only WITH Classpath-exception-2.0"]) {
    assertEquals(licenseExpression(good), good);
  }
  for (const bad of ["", "UNLICENSED", "SEE LICENSE IN LICENSE.md", "MIT, mostly"]) {
    assertEquals(licenseExpression(bad), "NOASSERTION");
  }
});

Deno.test("notices hold each package's licence, and refuse one whose words nobody has", () => {
  const base = { version: "1.0.0", integrity: "", dependencies: [], author: "Anna" };
  const text = notices([
    { ...base, name: "a", license: "0BSD", licenseText: "Do what you want.\r\n" },
    { ...base, name: "b", license: "MIT", licenseText: "" },
  ], "2.4.2");
  assertMatch(text, /\na 1\.0\.0 \(0BSD\)\n\nDo what you want\.\n/);
  assertMatch(text, /\nb 1\.0\.0 \(MIT\)\n\nCopyright Anna\n\nPermission is hereby granted/);
  assertThrows(
    () => notices([{ ...base, name: "c", license: "", licenseText: "" }], "2.4.2"),
    Error,
    "c@1.0.0 brings no licence text",
  );
});
