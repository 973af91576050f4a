import { priorityOf } from "../resources/mod.ts";
import { decodeObject, type ServerState, systemOperation } from "../operations/mod.ts";
import { createNow, deleteObject } from "../writes/mod.ts";
import { afterWrite } from "./after_write.ts";

const COLLECTION = "apiservices.apiregistration.k8s.io";
const LABEL = "kube-aggregator.kubernetes.io/automanaged";
/** The aggregator's own group, for which there is no APIService. */
const AGGREGATOR = "apiregistration.k8s.io";

/**
 * Keeps an APIService for every served version. Upstream:
 * `kube-aggregator/pkg/controllers/autoregister` and `pkg/controlplane/controller/crdregistration`.
 *
 * @returns A function that stops it.
 */
export function serveApiServices(state: ServerState): () => void {
  let isStopped = false;
  const syncLater = afterWrite(
    () => isStopped || sync(state),
    (err) => state.world.log.error("APIServices are not up to date", { err }),
  );
  sync(state);
  const stop = state.resources.onChange(syncLater);
  return () => {
    isStopped = true;
    stop();
  };
}

function sync(state: ServerState): void {
  const wanted = wantedServices(state);
  for (const { object } of [...state.store.list(COLLECTION) ?? []]) {
    const name = object.metadata.name!;
    if (wanted.delete(name) || object.metadata.labels?.[LABEL] !== "true") continue;
    deleteObject(systemOperation(state, COLLECTION), name);
  }
  for (const [name, body] of wanted) {
    const operation = systemOperation(state, COLLECTION);
    createNow(operation, decodeObject(operation, { ...body, metadata: { ...body.metadata, name } }));
  }
}

function wantedServices({ resources }: ServerState) {
  const groups = resources.groups().filter(({ group }) => group !== AGGREGATOR);
  return new Map(groups.flatMap(({ group, versions, isBuiltIn }) =>
    versions.map((version) => {
      const priority = priorityOf({ group, version });
      const spec = { group, version, groupPriorityMinimum: priority.group, versionPriority: priority.version };
      return [`${version}.${group}`, { metadata: { labels: { [LABEL]: isBuiltIn ? "onstart" : "true" } }, spec }];
    })
  ));
}
