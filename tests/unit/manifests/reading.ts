/** Reading what is in `manifests/`, for the tests that hold it to the code and to a real API server. */
import { parse, parseAll } from "@std/yaml";
import { fromFileUrl } from "@std/path";

const FOLDER = fromFileUrl(new URL("../../../manifests/", import.meta.url));

/** The file's absolute path; `name` begins below `manifests/`. */
export const manifestPath = (name: string) => FOLDER + name;

export const manifestText = (name: string) => Deno.readTextFile(manifestPath(name));

/** Manifests that kubectl applies. */
export async function kubernetesManifests(): Promise<string[]> {
  const names = await allManifests();
  return names.filter((name) => /^(kubeadm|examples)\/.*\.yaml$|^rbac(-cloud)?\.yaml$/.test(name));
}

/** Every file below `manifests/`, sorted. */
export async function allManifests(folder = ""): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(FOLDER + folder)) {
    if (isDirectory) names.push(...await allManifests(`${folder}${name}/`));
    else names.push(folder + name);
  }
  return names.sort();
}

/** The documents of a YAML or JSON file. */
export async function documents<T>(name: string): Promise<T[]> {
  const text = await manifestText(name);
  return (name.endsWith(".json") ? [JSON.parse(text)] : parseAll(text)) as T[];
}

/** A query of Prometheus, with the labels that its title or description shows of each result. */
export interface Query {
  readonly where: string;
  readonly text: string;
  readonly shown: readonly string[];
}

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { alert: string; expr: string; annotations: Record<string, string> }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly { title: string; targets?: readonly { expr: string; legendFormat: string }[] }[];
}

/** Every query of the alerts and of the dashboard. */
export async function queries(): Promise<Query[]> {
  const { groups } = parse(await manifestText("prometheus/alerts.yaml")) as Rules;
  const [{ panels }] = await documents<Dashboard>("grafana/dashboard.json");
  return [
    ...groups.flatMap(({ rules }) => rules).map(({ alert, expr, annotations }) => ({
      where: `alert ${alert}`,
      text: expr,
      shown: captures(Object.values(annotations).join(" "), /\{\{ \$labels\.(\w+) \}\}/g),
    })),
    ...panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr, legendFormat }) => ({
        where: `panel ${title}`,
        text: expr,
        shown: captures(legendFormat, /\{\{(\w+)\}\}/g),
      }))
    ),
  ];
}

/** A metric in a query, with the labels that its results are chosen by. */
export interface MetricUse {
  readonly name: string;
  readonly labels: readonly string[];
  /** The value of `job`. */
  readonly job: string | undefined;
}

/** What a query reads: every selector in it, each of which names its labels in braces. */
export function metricsIn({ text }: Query): MetricUse[] {
  return [...text.matchAll(/\b([a-z_]\w*)\{([^}]*)\}/g)].map(([, name, matchers]) => ({
    name,
    labels: captures(matchers, /(\w+)(?:=~|=|!=|!~)"/g),
    job: /job="([^"]*)"/.exec(matchers)?.[1],
  }));
}

/** Labels by which a query groups its results. */
export const groupings = ({ text }: Query) => captures(text, /\bby \(([^)]*)\)/g).flatMap((list) => list.split(", "));

/** Names in a query that are neither functions, labels nor values: metrics, were they to stand without braces. */
export function bareNames({ text }: Query): string[] {
  const stripped = text.replace(
    /\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\bby \([^)]*\)/g,
    (part) => part.startsWith("{") ? "(" : "",
  );
  return captures(stripped, /\b([a-z_]\w*)\b(?! *\()/g);
}

function captures(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, captured]) => captured);
}
