/** A certificate signing request of user `ann` in group `team`, in PEM. */
const PEM = `-----BEGIN CERTIFICATE REQUEST-----
MIHWMH8CAQAwHTEMMAoGA1UEAwwDYW5uMQ0wCwYDVQQKDAR0ZWFtMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEtXMyngpVqSKZx36JCDtLqlFam9vRPDcSaUwpBE+a
LfI9FS3g5Ky/5NbdPDKjGI+uLGlVr7QyaPGWSF4cd0UTHqAAMAoGCCqGSM49BAMC
A0cAMEQCICncHw54UaeAn2E5z76+G5XEqX5pMBBz/q5HWMD60MqkAiAWfkKMCoeu
fmVxH6SvpXipaLuV/xI2aq6/ScTb9EtsDg==
-----END CERTIFICATE REQUEST-----
`;

/** As `spec.request` carries it. */
export const CERTIFICATE_REQUEST = btoa(PEM);
