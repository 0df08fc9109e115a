"""Sign-in by the word of an OpenID provider, by the authorization code flow with PKCE (docs/decisions/0047).

registration.py   this workbench as the provider knows it, and whom of its people it lets in; pure
attempt.py        one sign-in on its way: what the browser keeps, what the provider is sent; pure
provider.py       asks the provider, and believes nothing that is not signed for this sign-in
candidate.py      what an ID token says of a person; pure
identities.py     which account belongs to a person of the provider
refusals.py       why somebody is not let in, in plain words
service.py        one sign-in from its beginning to the session
endpoints.py, schemas.py   the same over HTTP
"""
