/** Small objects for tests: a name and the fields that matter; the rest is filled in. */
import type {
  ConfigMap,
  Container,
  Deployment,
  KubeObject,
  Namespace,
  Node,
  ObjectMeta,
  Pod,
  PodSpec,
  PodTemplateSpec,
  ReplicaSet,
  Service,
} from "../api/mod.ts";

/** Metadata besides the name. */
type Meta = Omit<ObjectMeta, "name">;

/** A pod's parts; the rest of its spec may also be given. */
export interface PodParts extends Partial<Omit<PodSpec, "containers">> {
  readonly image?: string;
  readonly containers?: Container[];
}

/** A pod template of one container, labelled `app=<name>`; the image is `nginx:1`. */
export function podTemplate(
  name: string,
  { image = "nginx:1", containers = [{ name: "main", image }], ...spec }: PodParts = {},
): PodTemplateSpec {
  return { metadata: { labels: { app: name } }, spec: { ...spec, containers } };
}

/** A pod of one container, labelled `app=<name>`. */
export function pod(name: string, { metadata, ...parts }: PodParts & { readonly metadata?: Meta } = {}): Pod {
  const { spec } = podTemplate(name, parts);
  return { apiVersion: "v1", kind: "Pod", metadata: { labels: { app: name }, ...metadata, name }, spec };
}

/** Parts of Deployments and ReplicaSets. */
interface ReplicasParts extends PodParts {
  readonly metadata?: Meta;
  readonly replicas?: number;
}

/** A Deployment whose pods are labelled `app=<name>`; `spec` overrides other fields. */
export function deployment(
  name: string,
  { replicas = 1, metadata, ...parts }: ReplicasParts = {},
  spec: Partial<Deployment["spec"]> = {},
): Deployment {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...metadata, name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name, parts), ...spec },
  };
}

/** A ReplicaSet whose pods are labelled `app=<name>`. */
export function replicaSet(name: string, { replicas = 1, metadata, ...parts }: ReplicasParts = {}): ReplicaSet {
  return {
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: { ...metadata, name },
    spec: { replicas, selector: { matchLabels: { app: name } }, template: podTemplate(name, parts) },
  };
}

/** A Service for the pods labelled `app=<name>`, on port 80. */
export function service(name: string, { port = 80, metadata }: { port?: number; metadata?: Meta } = {}): Service {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, name },
    spec: { selector: { app: name }, ports: [{ port }] },
  };
}

/** A ConfigMap. */
export function configMap(
  name: string,
  data: Readonly<Record<string, string>> = {},
  { metadata }: { metadata?: Meta } = {},
): ConfigMap {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { ...metadata, name }, data: { ...data } };
}

/** A namespace. */
export function namespace(name: string, { metadata }: { metadata?: Meta } = {}): Namespace {
  return { apiVersion: "v1", kind: "Namespace", metadata: { ...metadata, name } };
}

/** A node that is not simulated: nothing runs on it. */
export function node(name: string, { metadata, ...spec }: Partial<Node["spec"]> & { metadata?: Meta } = {}): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { ...metadata, name }, spec };
}

/** Makes `owner` the controller of `object`; the owner must be stored, so that it has a uid. */
export function ownedBy<T extends KubeObject>(object: T, owner: KubeObject): T {
  const { apiVersion = "", kind = "", metadata } = owner;
  const reference = { apiVersion, kind, name: metadata?.name ?? "", uid: metadata?.uid ?? "", controller: true };
  const { ownerReferences = [] } = object.metadata ?? {};
  return { ...object, metadata: { ...object.metadata, ownerReferences: [...ownerReferences, reference] } };
}
