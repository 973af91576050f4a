import type { FieldErrors } from "../../validation/mod.ts";

/** How much pods may do: from everything to nearly nothing. */
export type Level = "privileged" | "baseline" | "restricted";

/** A level as defined by a version of Kubernetes. */
export interface LevelVersion {
  readonly level: Level;
  /** `latest` or `v1.33`. */
  readonly version: string;
}

/** A namespace's policy: pods that exceed `enforce` are refused, those that exceed `warn` get a warning. */
export interface Policy {
  readonly enforce: LevelVersion;
  readonly warn: LevelVersion;
}

const LEVELS: readonly string[] = ["privileged", "baseline", "restricted"] satisfies Level[];
const LABEL = "pod-security.kubernetes.io/";
const VERSION = /^v1\.(0|[1-9]\d*)$/;

export function levelText({ level, version }: LevelVersion): string {
  return `${level}:${version}`;
}

/** The minor version of the rules; larger than any for `latest`. */
export function minorOf({ version }: LevelVersion): number {
  return version === "latest" ? Infinity : Number(VERSION.exec(version)?.[1]);
}

export function isStricter(left: Level, right: Level): boolean {
  return LEVELS.indexOf(left) > LEVELS.indexOf(right);
}

/**
 * The policy that a namespace's labels ask for. Invalid labels enforce the strictest level and warn about nothing.
 * Upstream: `pod-security-admission/api/helpers.go` (PolicyToEvaluate).
 *
 * @param errors Receives what is wrong with the labels.
 */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, errors?: FieldErrors): Policy {
  const level = (mode: string, otherwise: Level): Level => {
    const value = labels?.[LABEL + mode];
    if (value === undefined) return "privileged";
    if (isLevel(value)) return value;
    errors?.invalid(`metadata.labels[${LABEL}${mode}]`, value, `must be one of ${LEVELS.join(", ")}`);
    return otherwise;
  };
  const version = (mode: string): string => {
    const value = labels?.[`${LABEL}${mode}-version`] ?? "latest";
    if (value === "latest" || VERSION.test(value)) return value;
    errors?.invalid(`metadata.labels[${LABEL}${mode}-version]`, value, 'must be "latest" or "v1.x"');
    return "latest";
  };
  const read = (mode: string, otherwise: Level) => ({ level: level(mode, otherwise), version: version(mode) });
  const enforce = read("enforce", "restricted");
  // There is no audit log here, but its labels must be valid.
  read("audit", "privileged");
  const warn = read("warn", "privileged");
  const followsEnforce = labels?.[`${LABEL}warn`] === undefined && isLevel(labels?.[`${LABEL}enforce`]) &&
    isStricter(enforce.level, warn.level);
  if (!followsEnforce) return { enforce, warn };
  const isOwn = labels?.[`${LABEL}warn-version`] !== undefined;
  return { enforce, warn: { level: enforce.level, version: isOwn ? warn.version : enforce.version } };
}

function isLevel(value: string | undefined): value is Level {
  return value !== undefined && LEVELS.includes(value);
}
