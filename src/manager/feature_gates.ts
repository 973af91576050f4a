import { KUBERNETES_VERSION } from "../api/mod.ts";
import data from "./generated_feature_gates.json" with { type: "json" };

/** A feature's maturity; `PreAlpha` if it does not exist yet. */
export type Stage = "PreAlpha" | "ALPHA" | "BETA" | "GA" | "DEPRECATED";

/** A gate and its setting. */
export interface Gate {
  readonly name: string;
  readonly stage: Stage;
  readonly enabled: boolean;
}

/** The result of `--feature-gates` and the version flags. */
export interface FeatureGates {
  readonly emulatedVersion: string;
  readonly minCompatibilityVersion: string;
  /** Every gate at the emulated version, by name. */
  readonly all: readonly Gate[];
  /** Gates set explicitly. */
  readonly set: ReadonlyMap<string, boolean>;
  readonly warnings: readonly GateWarning[];
}

/** Whether the gate exists at the emulated version and is on. */
export function isGateOn({ all }: FeatureGates, gate: string): boolean {
  return all.some(({ name, enabled }) => name === gate && enabled);
}

/** A gate was set that no longer has an effect. */
export interface GateWarning {
  readonly stage: "GA" | "deprecated";
  readonly gate: string;
  readonly value: boolean;
}

/** The flags on the command line. */
export interface FeatureGateFlags {
  /** From `--feature-gates`: `Name=true` or `kube:Name=true`. */
  readonly gates: readonly string[];
  /** From `--emulated-version`: `1.35` or `kube=1.35`. */
  readonly emulatedVersion: readonly string[];
  readonly minCompatibilityVersion: readonly string[];
}

interface Spec {
  readonly stage: Stage;
  readonly standard: boolean;
  readonly isLocked: boolean;
}

const NEWEST_MINOR = Number(KUBERNETES_VERSION.split(".")[1]);
/** Upstream: `apiserver/pkg/util/compatibility/version.go` (kubeEffectiveVersionFloors). */
const OLDEST_MINOR = NEWEST_MINOR - 3;
/** The versions that can be emulated, in words. */
export const EMULATED_VERSIONS = `1.${OLDEST_MINOR} to 1.${NEWEST_MINOR}`;
const STAGES: Readonly<Record<string, Stage>> = { alpha: "ALPHA", beta: "BETA", ga: "GA", deprecated: "DEPRECATED" };
const NOT_YET: Spec = { stage: "PreAlpha", standard: false, isLocked: false };
/** Gates that set all gates of a stage. */
const WHOLE_STAGES: Readonly<Record<string, Stage>> = { AllAlpha: "ALPHA", AllBeta: "BETA" };
/** There are hundreds of them. */
const WHERE_GATES_ARE = "--feature-gates takes the gates that kubernetes_feature_enabled of /metrics lists";
const HOW_GATES_ARE_SET = "--feature-gates takes Name=true or Name=false, or both with kube: in front";
const GATES: Readonly<Record<string, string>> = data.gates;
const NEEDS: Readonly<Record<string, readonly string[]>> = data.needs;

/**
 * Decides every feature gate.
 *
 * Contract:
 * 1. A gate has the default that it had at the emulated version, unless it is set; `AllAlpha` and `AllBeta` set what is
 *    not set by name.
 * 2. A gate is refused if it is unknown, locked, absent at the emulated version, or lacks a gate that it needs.
 * 3. Setting a gate of a feature that is generally available or deprecated is warned about.
 *
 * Each row of the data file holds the gate's stage, default (`+`, `-`) and lock (`!`) at 1.33, then each change with
 * its version. Upstream: `k8s.io/component-base/featuregate` and `compatibility`; the table was extracted from
 * upstream's binary.
 *
 * @returns The gates, or every objection in upstream's words.
 */
export function decideFeatureGates(
  flags: FeatureGateFlags,
): { readonly gates: FeatureGates; readonly objections: readonly string[] } {
  const objections: string[] = [];
  const { minor, compatibleMinor } = versionsOf(flags, objections);
  const gates: FeatureGates = {
    emulatedVersion: `1.${minor}`,
    minCompatibilityVersion: `1.${compatibleMinor}`,
    all: [],
    set: new Map(),
    warnings: [],
  };
  if (objections.length > 0) return { gates, objections };
  const given = givenGates(flags.gates);
  if (typeof given === "string") return { gates, objections: [given] };
  const warnings: GateWarning[] = [];
  const set = new Map<string, boolean>();
  for (const [name, value] of given) {
    if (!Object.hasOwn(GATES, name)) {
      return { gates, objections: [`unrecognized feature gate: ${name}: ${WHERE_GATES_ARE}`] };
    }
    const { stage, standard, isLocked } = specOf(name, minor);
    const refused = `cannot set feature gate ${name} to ${value}, feature is`;
    if (isLocked && standard !== value) objections.push(`${refused} locked to ${standard}`);
    else if (stage === "PreAlpha") {
      objections.push(
        `${refused} PreAlpha at emulated version 1.${minor}, min compatibility version 1.${compatibleMinor}`,
      );
    } else {
      set.set(name, value);
      if (stage === "GA") warnings.push({ stage, gate: name, value });
      if (stage === "DEPRECATED") warnings.push({ stage: "deprecated", gate: name, value });
    }
  }
  const enabled = (name: string): boolean => {
    const { stage, standard, isLocked } = specOf(name, minor);
    if (set.has(name)) return set.get(name)!;
    const whole = Object.keys(WHOLE_STAGES).find((all) => set.has(all) && WHOLE_STAGES[all] === stage);
    return whole !== undefined && !isLocked ? set.get(whole)! : standard;
  };
  if (objections.length === 0) objections.push(...unmetNeeds(enabled));
  const all = Object.keys(GATES)
    .map((name): Gate => ({ name, stage: specOf(name, minor).stage, enabled: enabled(name) }));
  return { gates: { ...gates, all, set, warnings }, objections };
}

function unmetNeeds(enabled: (name: string) => boolean): string[] {
  return Object.entries(NEEDS).flatMap(([name, needs]) => {
    const missing = enabled(name) ? needs.filter((need) => !enabled(need)) : [];
    if (missing.length === 0) return [];
    return [`${name} is enabled, but depends on features that are disabled: [${missing.join(" ")}]`];
  });
}

function specOf(name: string, minor: number): Spec {
  let spec = NOT_YET;
  for (const row of GATES[name].split(" ")) {
    const [, since, stage, sign, lock] = /^(?:1\.(\d+):)?([a-z]+)([+-])(!?)$/.exec(row)!;
    if (since === undefined || Number(since) <= minor) {
      spec = { stage: STAGES[stage], standard: sign === "+", isLocked: lock === "!" };
    }
  }
  return spec;
}

/** The settings in the order given, or the objections to them. */
function givenGates(texts: readonly string[]): ReadonlyMap<string, boolean> | string {
  const entries = texts.map((text) => text.trim()).filter((text) => text !== "");
  const prefixes = entries.map((entry) => /^([^:=]*):/.exec(entry)?.[1]);
  const stranger = prefixes.find((prefix) => prefix !== undefined && prefix !== "kube");
  if (stranger !== undefined) return `component not registered: ${stranger}: ${HOW_GATES_ARE_SET}`;
  if (prefixes.includes("kube") && prefixes.includes(undefined)) {
    return "set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use";
  }
  const set = new Map<string, boolean>();
  for (const entry of entries) {
    const [, name, value] = /^(?:kube:)?([^=]*)(?:=(.*))?$/s.exec(entry)!;
    const gate = name.trim();
    if (value === undefined) return `missing bool value for ${gate}: ${HOW_GATES_ARE_SET}`;
    const isTrue = /^(1|t|T|true|True|TRUE)$/.test(value.trim());
    if (!isTrue && !/^(0|f|F|false|False|FALSE)$/.test(value.trim())) {
      const why = `strconv.ParseBool: parsing ${JSON.stringify(value.trim())}: invalid syntax`;
      return `invalid value of ${gate}=${value.trim()}, err: ${why}: ${HOW_GATES_ARE_SET}`;
    }
    set.set(gate, isTrue);
  }
  return set;
}

function versionsOf(flags: FeatureGateFlags, objections: string[]): { minor: number; compatibleMinor: number } {
  const minor = minorOf(flags.emulatedVersion, "--emulated-version", objections) ?? NEWEST_MINOR;
  const compatibleMinor = minorOf(flags.minCompatibilityVersion, "--min-compatibility-version", objections) ??
    Math.max(minor - 1, OLDEST_MINOR);
  if (objections.length > 0) return { minor, compatibleMinor };
  if (minor < OLDEST_MINOR || minor > NEWEST_MINOR) {
    objections.push(
      `emulation version 1.${minor} is not between [1.${OLDEST_MINOR}, 1.${NEWEST_MINOR}.0]: see --emulated-version`,
    );
  }
  if (compatibleMinor < OLDEST_MINOR || compatibleMinor > minor) {
    const range = `[1.${OLDEST_MINOR}, 1.${minor}]`;
    objections.push(
      `minCompatibilityVersion version 1.${compatibleMinor} is not between ${range}: see --min-compatibility-version`,
    );
  }
  return { minor, compatibleMinor };
}

/** The minor version that a flag names, or the first objection to it. */
function minorOf(texts: readonly string[], flag: string, objections: string[]): number | undefined {
  let minor: number | undefined;
  for (const text of texts) {
    const [component, version] = text.includes("=") ? text.split("=", 2) : ["kube", text];
    const why = versionObjection(component, version);
    if (why !== undefined) {
      objections.push(`${why}: ${flag} takes ${EMULATED_VERSIONS}`);
      return undefined;
    }
    minor = Number(version.split(".")[1]);
  }
  return minor;
}

function versionObjection(component: string, version: string): string | undefined {
  const parts = /^v?(\d+)\.(\d+)(\.\d+)?$/.exec(version);
  if (component !== "kube") return `component not registered: ${component}`;
  if (!parts) return `could not parse ${JSON.stringify(version)} as version`;
  if (parts[3] !== undefined) return `patch version not allowed, got: kube=${version}`;
  if (parts[1] === "1") return undefined;
  return `emulation version ${version} is not between [1.${OLDEST_MINOR}, 1.${NEWEST_MINOR}.0]`;
}
