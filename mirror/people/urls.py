"""Addresses of signing in, people and teams."""

from __future__ import annotations

from django.urls import path

from mirror.people import views
from mirror.people.codes import views as code_views
from mirror.people.passkeys import views as passkey_views
from mirror.people.provider import views as provider_views

app_name = "people"
urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/link/<str:token>/", views.sign_in_link, name="sign_in_link"),
    path("sign-in/code/", code_views.code, name="code"),
    path("sign-in/code/passkey/", passkey_views.factor_give, name="factor_give"),
    path("sign-in/code/passkey/begin/", passkey_views.factor_ask, name="factor_ask"),
    path("sign-in/passkey/", passkey_views.passkey_enter, name="passkey_enter"),
    path("sign-in/passkey/begin/", passkey_views.passkey_ask, name="passkey_ask"),
    path("sign-in/provider/", provider_views.provider_begin, name="provider_begin"),
    path("sign-in/provider/back/", provider_views.provider_back, name="provider_back"),
    path("sign-out/provider/", provider_views.provider_out, name="provider_out"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("account/", views.account, name="account"),
    path("account/address/", views.account_address, name="account_address"),
    path("account/language/", views.account_language, name="account_language"),
    path("account/codes/", code_views.codes, name="codes"),
    path("account/codes/begin/", code_views.codes_begin, name="codes_begin"),
    path("account/codes/end/", code_views.codes_end, name="codes_end"),
    path("account/passkeys/", passkey_views.passkeys, name="passkeys"),
    path("account/passkeys/begin/", passkey_views.passkey_begin, name="passkey_begin"),
    path("account/passkeys/recovery/", passkey_views.recovery_renew, name="recovery_renew"),
    path("account/passkeys/<int:pk>/", passkey_views.passkey, name="passkey"),
    path("account/passkeys/<int:pk>/remove/", passkey_views.passkey_remove, name="passkey_remove"),
    path("account/sessions/end/", views.sessions_end, name="sessions_end"),
    path("account/sessions/<str:mark>/end/", views.session_end, name="session_end"),
    path("people/", views.people, name="people"),
    path("people/new/", views.person_new, name="person_new"),
    path("people/<int:pk>/link/", views.person_link, name="person_link"),
    path("people/<int:pk>/role/", views.person_role, name="person_role"),
    path("people/<int:pk>/active/", views.person_active, name="person_active"),
    path("people/<int:pk>/factor/reset/", views.person_factor_reset, name="person_factor_reset"),
    path("people/<int:pk>/disconnect/", provider_views.person_disconnect, name="person_disconnect"),
    path("people/sign-in/", provider_views.provider_page, name="provider"),
    path("people/sign-in/rules/", provider_views.rule_new, name="rule_new"),
    path("people/sign-in/rules/<int:pk>/remove/", provider_views.rule_remove, name="rule_remove"),
    path("teams/", views.teams, name="teams"),
    path("teams/new/", views.team_new, name="team_new"),
    path("teams/<int:pk>/", views.team, name="team"),
    path("teams/<int:pk>/members/", views.member_add, name="member_add"),
    path("teams/<int:pk>/members/<int:user_pk>/remove/", views.member_remove, name="member_remove"),
]
