import { errorText } from "../../base/mod.ts";
import { ENDPOINTS, type Endpoints, type EndpointSubset, objectKey, type Service, splitKey } from "../../api/mod.ts";
import { isNamespaceTerminating, isNotFound } from "../../client/mod.ts";
import { countAddresses, truncatedSubsets } from "../endpoint_subsets/mod.ts";
import { serverSays } from "../running/mod.ts";
import type { EndpointsContext } from "./context.ts";
import { annotationsFor, labelsFor } from "./metadata.ts";

/** Endpoints that are to be written. */
interface Wanted {
  readonly service: Service;
  /** As they are; absent if they are to be created. */
  readonly current: Endpoints | undefined;
  readonly subsets: readonly EndpointSubset[];
  readonly triggerTime: string | undefined;
}

/** Without preconditions, as upstream: that they have no Service is all that counts. */
export async function deleteEndpoints(key: string, { client }: Pick<EndpointsContext, "client">): Promise<void> {
  try {
    await client.delete(ENDPOINTS, splitKey(key));
  } catch (error) {
    if (!serverSays(error, isNotFound)) throw error;
  }
}

/** Creates the Endpoints or replaces them; in a namespace that is going they are not needed any more. */
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
  // What has changed nothing has no new version, and the old one will come again.
  if (written.metadata?.resourceVersion !== current.metadata?.resourceVersion) superseded.replaced(current);
}
