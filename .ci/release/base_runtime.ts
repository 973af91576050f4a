/** Where the base runtime of the executable came from. */

/** The npm package that `.ci/base_runtime` cuts it out of, and what comes of that. */
const FROM_NPM = {
  sha256: "2705685d7478610b98dcd43acecd457a19810146323041c8af8a88f7dd0b5e82",
  package: "@vltpkg/cli-linux-x64",
  version: "0.0.0-18",
  file: "package/vlt",
  bytes: 85186368,
};

/** What is known of a base runtime. */
export interface BaseRuntime {
  readonly deno: string;
  /** As in `x86_64-unknown-linux-gnu`. */
  readonly target: string;
  /** SHA-256, where it could be told from the rest. */
  readonly sha256?: string;
  /** Whether the builder gave one (`DENORT_BIN`) instead of having Deno download it. */
  readonly isGiven: boolean;
}

/** What a bill of materials says of a base runtime's origin. */
export interface RuntimeOrigin {
  readonly downloadLocation: string;
  readonly sourceInfo: string;
  readonly purl: string;
}

/** The origin of a base runtime: it is what Deno downloads, what comes from an npm package, or the builder's affair. */
export function originOf({ deno, target, sha256, isGiven }: BaseRuntime): RuntimeOrigin {
  if (!isGiven) {
    return {
      downloadLocation: `https://dl.deno.land/release/v${deno}/denort-${target}.zip`,
      sourceInfo: "downloaded by deno compile",
      purl: `pkg:github/denoland/deno@v${deno}`,
    };
  }
  if (sha256 !== FROM_NPM.sha256) {
    return {
      downloadLocation: "NOASSERTION",
      sourceInfo: "given by the builder as DENORT_BIN; its SHA-256 is all that is known",
      purl: `pkg:generic/denort@${deno}`,
    };
  }
  const { package: name, version, file, bytes } = FROM_NPM;
  return {
    downloadLocation: "NOASSERTION", // from which registry the package came is the builder's affair
    sourceInfo:
      `the first ${bytes} bytes of ${file} in the npm package ${name}@${version}, which was made with deno compile`,
    purl: `pkg:npm/${name.replace("@", "%40")}@${version}`,
  };
}
