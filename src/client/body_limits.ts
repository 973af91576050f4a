/**
 * How much of an answer is read as one text, in bytes. kube-apiserver accepts no request over 3 MiB and etcd no object
 * over 1.5 MiB, so honest answers stay far below. Other answers must not exhaust memory or block the thread while they
 * are parsed.
 */

/** For one object; also the limit of a watch frame. */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
/** For a list; larger ones are streamed or paged. */
export const MAX_LIST_BYTES = 256 * 1024 * 1024;
/** For a failure; of longer ones only the status code counts. */
export const MAX_FAILURE_BYTES = 64 * 1024;
