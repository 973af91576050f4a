import { KUBERNETES_VERSION } from "../api/mod.ts";
import { FlagError } from "./flags.ts";

/**
 * The version that the process reports, set by `--version=vX.Y.Z-MORE` for custom builds.
 *
 * @throws {FlagError} If it is another version's.
 */
export function reportedVersion(flag: string): string {
  if (!flag.startsWith("v")) return KUBERNETES_VERSION;
  const [number] = /^v\d+\.\d+\.\d+/.exec(flag) ?? [];
  if (number === KUBERNETES_VERSION) return flag;
  throw new FlagError(
    `invalid argument ${JSON.stringify(flag)} for "--version" flag: ${versionObjection(flag, number)} ` +
      `(it takes true, false, raw or ${KUBERNETES_VERSION}-MORE)`,
  );
}

function versionObjection(flag: string, number: string | undefined): string {
  const quoted = JSON.stringify(flag);
  if (!/^v\d/.test(flag)) return `could not parse ${quoted} as version`;
  if (number === undefined) return `illegal version string ${quoted}`;
  return `version ${quoted} must match major/minor/patch of default version ${JSON.stringify(KUBERNETES_VERSION)}`;
}
