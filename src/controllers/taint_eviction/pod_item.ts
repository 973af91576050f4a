/** The queue item for a pod: its event concerns the node that it is on, or was on. */
export interface PodItem {
  /** `namespace/name`. */
  readonly key: string;
  readonly nodeName: string;
}

/** Node names contain no spaces. */
const BETWEEN = " ";

export function joinPodItem({ key, nodeName }: PodItem): string {
  return `${key}${BETWEEN}${nodeName}`;
}

export function splitPodItem(item: string): PodItem {
  const at = item.indexOf(BETWEEN);
  return { key: item.slice(0, at), nodeName: item.slice(at + 1) };
}
