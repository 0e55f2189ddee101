/* One way to ask the server: JSON in, JSON out, and an Error whose message can be shown. */

export async function ask(address, body) {
  let response;
  try {
    response = await fetch(address, {
      method: body === undefined ? "GET" : "POST",
      headers: body === undefined ? {} : { "Content-Type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new Error("The tutor's server does not answer. Is it still running?");
  }
  if (response.status === 401) {
    window.location.assign("/login");
    throw new Error("Sign in first.");
  }
  if (response.status === 204) return null;
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(answer.error?.message ?? `The server answered ${response.status}.`);
  return answer;
}

export async function fragment(address) {
  const response = await fetch(address);
  return response.ok ? response.text() : null;
}
