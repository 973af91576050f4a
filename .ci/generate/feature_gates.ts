import { join } from "@std/path";
import { parse } from "@std/yaml";
import type { ModuleFolders } from "./go_modules.ts";

/** A feature in one minor version, and in those that follow until the next. */
interface FeatureSpec {
  readonly version: string;
  readonly preRelease: string;
  readonly default: boolean;
  readonly lockToDefault: boolean;
}

type Features = ReadonlyMap<string, readonly FeatureSpec[]>;

/** The parts of upstream's sources that feature gates are in. */
export interface FeatureSources {
  /** `k8s.io/kubernetes/test/compatibility_lifecycle/reference/versioned_feature_list.yaml`: all but the client's. */
  readonly list: string;
  /** `k8s.io/client-go/features/known_features.go`. */
  readonly client: string;
  /** `k8s.io/kubernetes/pkg/features/kube_features.go`, which says what features need. */
  readonly needs: string;
}

/** A binary can behave like those of so many minor versions before it. */
const EMULATED_VERSIONS = 3;

/** These set all gates of a stage. */
const WHOLE_STAGES: Features = new Map(["Alpha", "Beta"].map((preRelease) => [
  `All${preRelease}`,
  [{ version: "1.0", preRelease, default: false, lockToDefault: false }],
]));

/** Reads them from the sources of Kubernetes. */
export async function readFeatureSources(folders: ModuleFolders): Promise<FeatureSources> {
  const read = (module: string, path: string) => Deno.readTextFile(join(folders.get(module)!, path));
  const list = "test/compatibility_lifecycle/reference/versioned_feature_list.yaml";
  return {
    list: await read("k8s.io/kubernetes", list),
    client: await read("k8s.io/client-go", "features/known_features.go"),
    needs: await read("k8s.io/kubernetes", "pkg/features/kube_features.go"),
  };
}

/**
 * The feature gates of a version, and what each needs. A gate is written as its stages, each with the minor version in which it began:
 * `alpha- 1.35:beta+ 1.36:ga+!`. The first is that of the oldest version that can be emulated; `+` is on by default, `!` is locked.
 */
export function renderFeatureGates({ list, client, needs }: FeatureSources, version: string): string {
  const listed = parse(list) as readonly { readonly name: string; readonly versionedSpecs: readonly FeatureSpec[] }[];
  const features = new Map([
    ...WHOLE_STAGES,
    ...clientFeatures(client),
    ...listed.map(({ name, versionedSpecs }) => [name, versionedSpecs] as const),
  ]);
  const oldest = minorOf(version) - EMULATED_VERSIONS;
  const gates = [...features].map(([name, specs]) => [name, stagesOf(specs, oldest)] as const);
  const sorted = <T>(entries: Iterable<readonly [string, T]>) =>
    Object.fromEntries([...entries].sort(([a], [b]) => a < b ? -1 : 1));
  return JSON.stringify({ kubernetes: version, gates: sorted(gates), needs: sorted(needsOf(needs)) }, null, 2) + "\n";
}

function stagesOf(specs: readonly FeatureSpec[], oldest: number): string {
  const isNew = ({ version }: FeatureSpec) => minorOf(version) > oldest;
  const first = specs.filter((spec) => !isNew(spec)).slice(-1);
  return [...first, ...specs.filter(isNew)].map((spec) => {
    const since = isNew(spec) ? `${spec.version}:` : "";
    const stage = spec.preRelease.toLowerCase() || "ga";
    return `${since}${stage}${spec.default ? "+" : "-"}${spec.lockToDefault ? "!" : ""}`;
  }).join(" ");
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}

/** The client's features from its Go source. */
function clientFeatures(source: string): Features {
  const table = /^var defaultVersionedKubernetesFeatureGates = .*\n([\s\S]*?)^\}/m.exec(source)![1];
  return new Map([...table.matchAll(/^\t(\w+): \{\n([\s\S]*?)^\t\}/gm)].map(([, name, rows]) => [
    name,
    [...rows.matchAll(/\{Version: version\.MustParse\("([\d.]+)"\), (.*)\}/g)].map(([, version, rest]) => ({
      version,
      preRelease: /PreRelease: (\w+)/.exec(rest)![1],
      default: rest.includes("Default: true"),
      lockToDefault: rest.includes("LockToDefault: true"),
    })),
  ]));
}

/** What each feature needs that needs any. */
function needsOf(source: string): Map<string, readonly string[]> {
  const table = /^var defaultKubernetesFeatureGateDependencies = .*\n([\s\S]*?)^\}/m.exec(source)![1];
  const rows = [...table.matchAll(/^\t(?:\w+\.)?(\w+):\s*\{([^}]*)\}/gm)].map(([, name, needs]) =>
    [name, [...needs.matchAll(/(\w+)\)?\s*(?:,|$)/g)].map(([, need]) => need).sort()] as const
  );
  return new Map(rows.filter(([, needs]) => needs.length > 0));
}
