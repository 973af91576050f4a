import { errorText } from "../../base/mod.ts";
import { ENDPOINTS, type Endpoints, type EndpointSubset, objectKey, type Service, splitKey } from "../../api/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { countAddresses, truncatedSubsets } from "../endpoint_subsets/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { EndpointsContext } from "./context.ts";
import { annotationsFor, labelsFor } from "./metadata.ts";

/** Endpoints to write. */
interface Wanted {
  readonly service: Service;
  /** The existing ones; absent if they must be created. */
  readonly current: Endpoints | undefined;
  readonly subsets: readonly EndpointSubset[];
  readonly triggerTime: string | undefined;
}

/** Without preconditions, as upstream: only the missing Service matters. */
export async function deleteEndpoints(key: string, { client }: Pick<EndpointsContext, "client">): Promise<void> {
  try {
    await client.delete(ENDPOINTS, splitKey(key));
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
  }
}

/** Creates or replaces the Endpoints; in a terminating namespace they are no longer needed. */
export async function writeEndpoints(
  { service, current, subsets, triggerTime }: Wanted,
  context: Pick<EndpointsContext, "client" | "recorder" | "superseded">,
): Promise<void> {
  const { namespace, name } = service.metadata ?? {};
  const { isTooMany: isTruncated } = countAddresses(subsets);
  const metadata = {
    ...current ? current.metadata : { name },
    labels: labelsFor(service),
    annotations: annotationsFor(current?.metadata?.annotations, { triggerTime, isTruncated }),
  };
  const endpoints = { apiVersion: "v1", kind: "Endpoints", ...current, metadata, subsets: truncatedSubsets(subsets) };
  if (current) await replace(current, endpoints, context);
  else await create(endpoints, { namespace, context });
}

async function create(
  endpoints: Endpoints,
  { namespace, context: { client, recorder } }: {
    readonly namespace: string | undefined;
    readonly context: Pick<EndpointsContext, "client" | "recorder">;
  },
): Promise<void> {
  try {
    await client.create(ENDPOINTS, endpoints, { namespace });
  } catch (error) {
    if (serverSays(error, isNamespaceTerminating)) return;
    const service = `${namespace}/${endpoints.metadata?.name}`;
    const message = `Failed to create endpoint for service ${service}: ${errorText(error)}`;
    recorder.event(endpoints, "Warning", "FailedToCreateEndpoint", message);
    throw error;
  }
}

async function replace(
  current: Endpoints,
  endpoints: Endpoints,
  { client, recorder, superseded }: Pick<EndpointsContext, "client" | "recorder" | "superseded">,
): Promise<void> {
  let written: Endpoints;
  try {
    written = await client.update(ENDPOINTS, endpoints);
  } catch (error) {
    const message = `Failed to update endpoint ${objectKey(current)}: ${errorText(error)}`;
    recorder.event(endpoints, "Warning", "FailedToUpdateEndpoint", message);
    throw error;
  }
  // A write without changes has no new version, so the old one will appear again.
  if (written.metadata?.resourceVersion !== current.metadata?.resourceVersion) superseded.replaced(current);
}
