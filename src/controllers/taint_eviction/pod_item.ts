/** What is queued for a pod: what happened to it concerns the node that it is on, or was. */
export interface PodItem {
  /** `namespace/name`. */
  readonly key: string;
  readonly nodeName: string;
}

/** No name of a node has a space in it. */
const BETWEEN = " ";

export function joinPodItem({ key, nodeName }: PodItem): string {
  return `${key}${BETWEEN}${nodeName}`;
}

export function splitPodItem(item: string): PodItem {
  const at = item.indexOf(BETWEEN);
  return { key: item.slice(0, at), nodeName: item.slice(at + 1) };
}
