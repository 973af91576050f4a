/** The parts of SPDX 2.3 that our documents use: https://spdx.github.io/spdx-spec/v2.3/ */

export interface SpdxDocument {
  readonly spdxVersion: "SPDX-2.3";
  readonly dataLicense: "CC0-1.0";
  readonly SPDXID: "SPDXRef-DOCUMENT";
  readonly name: string;
  readonly documentNamespace: string;
  readonly creationInfo: { readonly created: string; readonly creators: readonly string[] };
  readonly packages: readonly SpdxPackage[];
  readonly relationships: readonly SpdxRelationship[];
}

export interface SpdxPackage {
  readonly SPDXID: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly packageFileName?: string;
  readonly primaryPackagePurpose: "APPLICATION" | "LIBRARY" | "FRAMEWORK";
  readonly supplier: string;
  readonly downloadLocation: string;
  /** Where it came from, in words. */
  readonly sourceInfo?: string;
  readonly filesAnalyzed: false;
  readonly checksums?: readonly { readonly algorithm: "SHA256" | "SHA512"; readonly checksumValue: string }[];
  readonly licenseConcluded: string;
  readonly licenseDeclared: string;
  readonly copyrightText: string;
  readonly externalRefs: readonly {
    readonly referenceCategory: "PACKAGE-MANAGER";
    readonly referenceType: "purl";
    readonly referenceLocator: string;
  }[];
}

export interface SpdxRelationship {
  readonly spdxElementId: string;
  readonly relationshipType: "DESCRIBES" | "DEPENDS_ON" | "CONTAINS";
  readonly relatedSpdxElement: string;
}

/** An identifier made of `parts`, in the characters that SPDX allows. */
export function spdxId(...parts: readonly string[]): string {
  return `SPDXRef-${parts.join("-").replaceAll(/[^A-Za-z0-9.-]+/g, "-").replace(/^-/, "")}`;
}

/** A licence as its package declares it, or that nothing is asserted where that is no expression of SPDX. */
export function licenseExpression(declared: string): string {
  const isExpression = /^\(?[A-Za-z0-9.+-]+( (AND|OR|WITH) [A-Za-z0-9.+-]+)*\)?$/.test(declared) &&
    !/^(UNLICENSED|SEE)/.test(declared);
  return isExpression ? declared : "NOASSERTION";
}
