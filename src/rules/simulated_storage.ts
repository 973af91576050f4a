/**
 * The name of the simulated storage's CSI driver, which ties its parts together: the API server's standard class names
 * it, the driver's provisioner, attacher and resizer answer to it, and simulated nodes have it.
 */
export const SIMULATED_STORAGE_DRIVER = "storage.kubeloop.dev";
