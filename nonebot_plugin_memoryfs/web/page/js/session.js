// Who is signed in: the token, kept by the browser for this address until one signs out.

const NAME = "memoryfs.token";

export const session = {
  get token() {
    return localStorage.getItem(NAME) ?? "";
  },
  start(token) {
    localStorage.setItem(NAME, token);
  },
  end() {
    localStorage.removeItem(NAME);
  },
};
