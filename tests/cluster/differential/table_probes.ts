/** Probes about tables. */
import type { DifferentialCase, Probe } from "./probe.ts";

export const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

const IGNORED = {
  fields: [
    "columnDefinitions.*.description",
    "*.object.columnDefinitions.*.description",
    "rows.*.object.metadata.managedFields",
  ],
  because:
    "descriptions of columns are upstream's documentation, shown by no client; managedFields have cases of their own",
};

/** What `kubectl get` asks for. */
export function table(path: string, ignored: Probe["ignore"] = IGNORED): Probe {
  return { method: "GET", path, headers: { accept: TABLE }, ignore: ignored };
}

/** A request that only prepares what follows. */
export function setup(method: Probe["method"], path: string, body: unknown, type?: string): Probe {
  return { method, path, body, type, isSetup: true };
}

/** An object and what its status becomes. */
export interface Shown {
  readonly object: {
    readonly metadata: { readonly name: string; readonly [field: string]: unknown };
    readonly [field: string]: unknown;
  };
  readonly status?: object;
}

/** Creates objects, gives them their status and compares their rows; those of cluster-scoped kinds one by one. */
export function tableCase(
  collection: string,
  shown: readonly Shown[],
  more?: NonNullable<Probe["ignore"]>,
): DifferentialCase {
  const ignored = more && {
    fields: [...IGNORED.fields, ...more.fields],
    because: `${IGNORED.because}; ${more.because}`,
  };
  const isNamespaced = collection.includes("{ns}");
  const path = ({ object: { metadata: { name } } }: Shown) => `${collection}/${name}`;
  return {
    name: `${collection.split("/").at(-1)} are printed`,
    probes: [
      ...shown.flatMap((one) => [
        setup("POST", collection, one.object),
        ...one.status
          ? [setup("PATCH", `${path(one)}/status`, { status: one.status }, "application/merge-patch+json")]
          : [],
      ]),
      ...isNamespaced ? [table(collection, ignored)] : [],
      // An object that both servers refused would be missed on both alike.
      ...shown.map((one) => ({ ...table(path(one), ignored), until: isTable })),
    ],
    // No controller runs that would take finalizers away.
    cleanup: isNamespaced ? [] : shown.flatMap((one) => [
      setup("DELETE", path(one), {}),
      setup("PATCH", path(one), { metadata: { finalizers: null } }, "application/merge-patch+json"),
    ]),
  };
}

function isTable(body: unknown): boolean {
  return (body as { readonly kind?: string } | undefined)?.kind === "Table";
}
