/**
 * How much of an answer is read as one text, in bytes. kube-apiserver takes no request over 3 MiB and etcd no object over
 * 1.5 MiB, so that no honest answer comes near: whatever else answers must not fill the memory, nor hold the thread that
 * parses what it sent.
 */

/** Of one object; as much as a frame of a watch may have. */
export const MAX_OBJECT_BYTES = 16 * 1024 * 1024;
/** Of a list; larger ones are streamed or paged. */
export const MAX_LIST_BYTES = 256 * 1024 * 1024;
/** Of a failure; what is longer counts by its code. */
export const MAX_FAILURE_BYTES = 64 * 1024;
