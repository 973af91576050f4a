import { decodeBase64 } from "@std/encoding/base64";
import type { NpmPackage } from "./lock_file.ts";
import type { PackageFacts } from "./package_files.ts";
import { type BaseRuntime, originOf } from "./base_runtime.ts";
import { hexOf } from "./programs.ts";
import { licenseExpression, type SpdxDocument, spdxId, type SpdxPackage, type SpdxRelationship } from "./spdx.ts";

/** What is in the executable. */
export interface SbomOptions {
  readonly version: string;
  /** Of the commit, in ISO 8601 with a `Z`. */
  readonly date: string;
  readonly commit: string;
  /** SHA-256 of the executable. */
  readonly executable: string;
  /** The packages in it by `name@version`, and those of them that it imports itself. */
  readonly packages: ReadonlyMap<string, NpmPackage & PackageFacts>;
  readonly imported: readonly string[];
  readonly runtime: BaseRuntime & { readonly v8: string };
}

const KUBELOOP = spdxId("Package", "kubeloop");
const DENO = spdxId("Package", "denort");
const V8 = spdxId("Package", "v8");

/** The software bill of materials of the executable, as SPDX 2.3. The same executable has the same bill. */
export function sbom(options: SbomOptions): SpdxDocument {
  const { version, date, executable, packages, imported } = options;
  const npmId = (id: string) => spdxId("npm", id);
  const dependsOn = (from: string, to: string): SpdxRelationship => ({
    spdxElementId: from,
    relationshipType: "DEPENDS_ON",
    relatedSpdxElement: to,
  });
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `kubeloop-${version}`,
    documentNamespace: `https://spdx.org/spdxdocs/kubeloop-${version}-${executable}`,
    creationInfo: { created: date, creators: [`Tool: kubeloop-release-${version}`] },
    packages: [
      kubeloopPackage(options),
      ...runtimePackages(options.runtime),
      ...[...packages.values()].map((each) => npmPackage(npmId(`${each.name}@${each.version}`), each)),
    ],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: KUBELOOP },
      dependsOn(KUBELOOP, DENO),
      { spdxElementId: DENO, relationshipType: "CONTAINS", relatedSpdxElement: V8 },
      ...imported.map((id) => dependsOn(KUBELOOP, npmId(id))),
      ...[...packages].flatMap(([id, { dependencies }]) => dependencies.map((to) => dependsOn(npmId(id), npmId(to)))),
    ],
  };
}

function kubeloopPackage({ version, commit, executable }: SbomOptions): SpdxPackage {
  const qualifier = commit === "" ? "" : `?vcs_commit=${commit}`;
  return {
    SPDXID: KUBELOOP,
    name: "kubeloop",
    versionInfo: version,
    packageFileName: "kubeloop",
    primaryPackagePurpose: "APPLICATION",
    supplier: "NOASSERTION",
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    checksums: [{ algorithm: "SHA256", checksumValue: executable }],
    licenseConcluded: "Apache-2.0",
    licenseDeclared: "Apache-2.0",
    copyrightText: "NOASSERTION",
    externalRefs: [purl(`pkg:generic/kubeloop@${version}${qualifier}`)],
  };
}

function runtimePackages(runtime: SbomOptions["runtime"]): SpdxPackage[] {
  const { deno, v8, sha256 } = runtime;
  const { downloadLocation, sourceInfo, purl: locator } = originOf(runtime);
  const common = {
    primaryPackagePurpose: "FRAMEWORK",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    copyrightText: "NOASSERTION",
  } as const;
  return [
    {
      ...common,
      SPDXID: DENO,
      name: "denort",
      versionInfo: deno,
      packageFileName: "denort",
      supplier: "Organization: Deno Land Inc.",
      downloadLocation,
      sourceInfo,
      // Of the unpacked runtime that the executable begins with.
      checksums: sha256 === undefined ? undefined : [{ algorithm: "SHA256", checksumValue: sha256 }],
      licenseDeclared: "MIT",
      externalRefs: [purl(locator)],
    },
    {
      ...common,
      SPDXID: V8,
      name: "v8",
      versionInfo: v8,
      supplier: "Organization: Google LLC",
      downloadLocation: "NOASSERTION",
      licenseDeclared: "BSD-3-Clause",
      externalRefs: [purl(`pkg:generic/v8@${v8}`)],
    },
  ];
}

function npmPackage(id: string, { name, version, integrity, license, author }: NpmPackage & PackageFacts): SpdxPackage {
  const [, algorithm, base64] = /^(sha512)-(.+)$/.exec(integrity) ?? [];
  if (!algorithm) throw new Error(`${name}@${version} has no SHA-512 in deno.lock, but ${integrity}`);
  return {
    SPDXID: id,
    name,
    versionInfo: version,
    primaryPackagePurpose: "LIBRARY",
    supplier: author === "" ? "NOASSERTION" : `Person: ${author}`,
    downloadLocation: "NOASSERTION", // the purl says which package; from which registry it came is the builder's affair
    filesAnalyzed: false,
    checksums: [{ algorithm: "SHA512", checksumValue: hexOf(decodeBase64(base64)) }],
    licenseConcluded: "NOASSERTION",
    licenseDeclared: licenseExpression(license),
    copyrightText: "NOASSERTION",
    externalRefs: [purl(`pkg:npm/${name.replace("@", "%40")}@${version}`)],
  };
}

function purl(referenceLocator: string): SpdxPackage["externalRefs"][number] {
  return { referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator };
}
