//! What every store must keep, port by port: each contract is one decision put to the test.

pub mod accept;
pub mod accounts;
pub mod analyses;
pub mod assistants;
pub mod audit;
pub mod call_board;
pub mod call_lists;
pub mod call_records;
pub mod callbacks;
pub mod conclude;
pub mod deliveries;
pub mod directory;
pub mod filing;
pub mod housekeeping;
pub mod idempotency;
pub mod invitations;
pub mod keys;
pub mod metadata;
pub mod nodes;
pub mod numbers;
pub mod organization_pages;
pub mod organizations;
pub mod overtaken;
pub mod progress;
pub mod repeated_additions;
pub mod repeated_creations;
pub mod schemas;
pub mod secrets;
pub mod sessions;
pub mod set_up;
pub mod sign_in_tries;
pub mod take_over;
pub mod test_lines;
pub mod trunks;

/// Runs every contract as a test of its own: `store_contracts!(make_world)`, where `make_world` is
/// an async function that returns a [`World`](crate::testing::World) with an empty store.
#[macro_export]
macro_rules! store_contracts {
    ($make_world:ident) => {
        $crate::store_contracts! { @groups $make_world,
            accept {
                an_accepted_call_is_calling,
                a_refused_call_is_final_at_once_and_reports_nothing,
                the_same_call_is_never_accepted_twice,
                a_call_has_a_contact_and_a_trunk_of_its_own,
                a_call_never_mixes_tenants_or_organizations,
                lines_are_never_taken_twice,
                a_trunk_without_a_limit_takes_every_call,
                a_lower_limit_than_lines_counts,
                a_boot_that_is_unknown_or_gone_places_no_call,
            }
            idempotency {
                of_twins_at_once_one_is_recorded,
                twins_keep_no_line_from_others,
                an_answer_is_told_as_it_was,
                a_key_with_another_request_is_told_apart,
                keys_of_other_scopes_are_other_keys,
                an_expired_key_is_free_again,
                what_is_not_recorded_takes_no_key,
                upkeep_forgets_old_keys_alone,
            }
            progress {
                ringing_and_answer_hold_only_under_the_fence,
                a_late_ringing_does_not_undo_the_answer,
                nothing_moves_after_the_end,
            }
            conclude {
                the_end_is_final_and_shown,
                an_unanswered_call_has_no_length,
                of_many_conclusions_one_wins,
                a_foreign_owner_or_epoch_ends_nothing,
                the_end_frees_the_line,
                the_end_and_its_callback_come_together,
                a_call_without_an_address_queues_nothing,
            }
            callbacks {
                a_fresh_callback_belongs_to_the_boot_that_ended_the_call,
                a_claim_lasts_as_long_as_its_lease,
                a_lost_claim_settles_nothing,
                every_try_sends_the_same_bytes_on_schedule,
                a_settled_callback_never_comes_back,
                excluded_destinations_and_the_limit_hold,
                parallel_claims_share_nothing,
                claims_of_earlier_boots_are_released,
            }
            deliveries {
                a_callback_is_shown_with_all_that_was_tried_of_it,
                the_callbacks_of_an_organization_come_newest_first_page_by_page,
                of_one_state_only_those_are_shown,
                foreign_callbacks_do_not_exist,
                a_given_up_callback_is_sent_again_and_becomes_delivered,
                a_failed_try_by_hand_changes_no_state,
                a_schedule_that_is_not_over_is_not_disturbed,
                of_many_at_once_one_is_sent,
                a_try_by_hand_that_nobody_settles_makes_room,
                at_most_twenty_are_sent_by_hand,
                it_is_signed_with_the_secrets_in_force,
            }
            nodes {
                a_join_tells_the_earlier_boots_of_this_node,
                others_are_seen_with_their_counters,
                a_boot_that_leaves_live_calls_behind_is_taken_over,
                a_hang_up_reaches_the_owner_once,
                only_live_calls_can_be_hung_up,
                calls_that_are_placed_and_hung_up_by_hand_are_noted,
            }
            take_over {
                orphans_come_whole,
                a_counter_that_moved_saves_the_calls,
                two_heirs_share_nothing,
                the_old_owner_is_fenced_off_and_told,
                a_final_call_is_never_taken_over,
                the_limit_leaves_the_rest_for_the_next_round,
                a_boot_that_carried_nothing_is_struck_off,
                a_hang_up_follows_the_call_to_its_heir,
            }
            keys {
                a_key_opens_its_scope_until_it_is_revoked,
                fifty_at_once_leave_five_keys,
                a_revoked_key_makes_room,
                tenant_keys_are_not_counted,
                a_key_needs_a_live_owner,
                a_deleted_organizations_key_still_reads,
                keys_are_listed_newest_first,
                the_use_of_a_key_is_noted,
                the_same_wish_makes_one_key,
                live_keys_are_those_of_just_one_scope,
                live_keys_beyond_a_page_are_on_the_next,
                a_key_out_of_reach_is_not_revoked,
            }
            directory {
                what_was_set_up_is_found_whole,
                nothing_is_found_outside_the_scope,
                an_assistant_and_a_number_must_share_an_organization,
                a_deleted_organization_is_inactive,
                a_foreign_call_does_not_exist,
                every_trunk_of_every_tenant_is_listed,
                agents_of_all_tenants_come_by_id,
                an_organization_has_a_tenant,
                nothing_is_set_up_under_an_unknown_owner,
                the_tenant_is_that_of_the_organization,
            }
            assistants {
                every_kind_of_assistant_comes_back_as_stored,
                the_assistants_of_an_organization_are_listed_by_name,
                a_revision_replaces_all_but_the_owner,
                a_stored_key_stays_until_the_endpoint_goes_elsewhere,
                a_provider_is_given_a_key_and_loses_it,
                only_a_live_organizations_assistant_is_changed,
                a_retired_assistant_places_no_calls,
                many_assistants_are_listed_page_by_page,
                assistants_out_of_reach_are_as_missing,
            }
            numbers {
                an_organizations_numbers_are_listed_page_by_page,
                a_retired_number_places_no_calls,
                a_number_moves_to_another_trunk_of_its_tenant,
                numbers_out_of_reach_are_as_missing,
            }
            test_lines {
                a_test_line_is_made_once_and_calls_can_be_placed_over_it,
                of_all_who_set_a_test_line_up_at_once_one_does,
                a_test_line_is_on_a_trunk_that_was_not_retired_meanwhile,
                a_retired_test_line_is_made_anew_and_a_foreign_one_never,
            }
            trunks {
                a_tenants_trunks_are_listed_page_by_page,
                a_revised_trunk_is_what_the_revision_says,
                a_trunks_password_stays_with_its_address,
                a_new_limit_holds_for_the_next_call,
                a_retired_trunk_takes_no_new_calls,
                trunks_out_of_reach_are_as_missing,
            }
            call_records {
                a_call_is_shown_from_its_acceptance_on,
                all_that_is_known_of_a_call_is_shown,
                a_foreign_call_log_does_not_exist,
                a_deleted_organizations_calls_stay_readable,
            }
            call_lists {
                every_filter_and_order_agree_with_a_plain_search,
                the_pages_of_a_list_make_up_the_whole,
                far_pages_continue_the_near_ones,
                a_page_beyond_the_end_is_empty_with_the_true_total,
                a_foreign_or_unknown_organization_has_no_list,
                both_ends_of_a_span_belong_to_it,
                wildcards_stand_for_themselves,
                the_case_of_no_letter_matters,
            }
            call_board {
                every_status_is_listed_and_counted,
                bars_hold_the_calls_of_their_time,
                a_call_is_seen_as_it_stands,
                a_list_is_gone_through_once_and_in_order,
                calls_of_one_moment_are_gone_through_too,
                a_foreign_board_does_not_exist,
                a_story_grows_with_its_call,
                a_refused_call_was_never_dialled,
                a_print_changes_with_what_is_seen_alone,
                a_story_has_a_print_of_its_own,
            }
            filing {
                a_transcript_is_filed_for_the_owner_of_its_call,
                an_unknown_call_has_no_owner,
                filing_again_is_answered_alike,
                whatever_was_said_can_be_filed,
                a_call_shows_which_artifacts_are_stored,
            }
            analyses {
                a_filed_call_is_due_once_it_is_over,
                two_claimants_never_hold_the_same,
                a_lapsed_lease_is_claimed_again,
                a_lost_claim_settles_nothing,
                claims_of_boots_that_are_gone_are_freed,
                a_try_that_failed_is_repeated_when_it_is_due,
                the_longest_due_come_first,
                what_was_found_out_is_shown_and_found,
                a_long_intent_is_cut,
            }
            housekeeping {
                folding_changes_no_total,
                folders_at_once_lose_nothing,
                forgotten_idempotency_keys_are_fresh_again,
                sign_ins_that_are_over_are_forgotten,
            }
            secrets {
                a_rotated_secret_overlaps_the_one_before,
                a_second_rotation_forgets_the_oldest,
                a_claim_brings_the_secrets_in_force,
                an_unknown_organization_has_no_secrets,
                a_secret_is_replaced_once,
                secrets_out_of_reach_are_as_missing,
            }
            organizations {
                a_created_organization_is_read_whole,
                an_id_is_taken_once,
                the_live_organizations_stand_beside_the_requested_one,
                a_revision_writes_what_it_names,
                a_logo_is_given_kept_and_taken_away,
                what_becomes_of_an_organization_is_noted,
                an_organization_is_removed_once,
                a_removed_organization_is_gone_but_readable,
                organizations_out_of_scope_do_not_exist,
            }
            organization_pages {
                all_pages_show_each_organization_once,
                every_field_sorts_both_ways,
                a_search_finds_parts_of_names_in_any_case,
                wildcards_are_literal,
                what_is_found_is_paged_and_sorted,
                a_list_shows_what_is_in_scope,
            }
            overtaken {
                a_trunk_that_somebody_else_changed_is_not_overwritten,
                an_assistant_that_somebody_else_changed_is_not_overwritten,
                a_profile_that_somebody_else_changed_is_not_overwritten,
                a_schema_that_somebody_else_put_is_not_overwritten,
            }
            repeated_additions {
                a_trunk_is_added_once,
                a_number_is_added_once,
                an_assistant_is_added_once,
            }
            repeated_creations {
                a_repeated_creation_is_answered_by_the_first,
                another_request_with_the_same_key_is_told_apart,
                twins_make_one_organization,
                keys_belong_to_their_scope,
                an_expired_key_is_free_again,
                a_failed_creation_takes_no_key,
            }
            metadata {
                each_replace_adds_a_version,
                what_somebody_else_wrote_is_not_overwritten_unseen,
                versions_have_no_gaps,
                a_replace_holds_under_the_schema_that_judged_it,
                another_tenants_metadata_does_not_exist,
            }
            schemas {
                a_tenants_schema_counts_until_the_organization_has_its_own,
                an_owner_has_one_schema,
                a_schema_needs_a_live_owner_and_stays_with_it,
                a_schema_out_of_reach_is_as_missing,
            }
            accounts {
                a_user_is_added_and_found_in_any_case,
                an_email_address_is_one_users_of_a_tenant,
                a_user_needs_a_live_owner,
                users_of_a_scope_are_listed_oldest_first,
                whoever_is_limited_to_an_organization_reaches_its_users_alone,
                the_last_admin_stays,
                of_two_last_admins_that_go_at_once_one_stays,
                a_new_password_takes_the_old_one_and_ends_other_sessions,
                of_two_new_passwords_at_once_one_is_set,
                every_change_of_a_user_is_noted,
            }
            sessions {
                a_session_is_found_until_it_ends,
                the_wrong_password_begins_no_session,
                use_prolongs_a_session_until_its_last_day,
                looking_a_session_up_does_not_prolong_it,
                a_removed_user_is_signed_out,
                a_role_counts_from_the_next_request_on,
                a_user_ends_their_own_sessions_alone,
                signing_out_everywhere_ends_all_sessions,
                the_session_that_was_not_used_longest_gives_way,
                a_rehashed_password_takes_the_place_of_the_old_hash,
            }
            sign_in_tries {
                a_try_meets_the_stored_hash_or_none,
                failures_of_an_account_cost_time_from_any_address,
                the_long_wait_stays_with_the_address_that_failed,
                where_an_account_signed_in_it_waits_for_nothing_that_fails_elsewhere,
                failures_from_an_address_cost_time_for_any_account,
                guesses_side_by_side_are_all_counted,
                a_success_forgets_what_failed_before,
                a_try_that_is_taken_back_counts_for_nothing,
                a_try_that_waits_counts_for_nothing,
                a_try_of_an_account_that_signed_in_there_is_known,
                a_user_of_another_tenant_clears_no_way_for_guesses,
                what_is_forgiven_ends_with_what_had_failed,
                a_try_meets_the_users_of_all_tenants,
            }
            invitations {
                an_invitation_is_accepted_once,
                of_two_who_accept_one_invitation_one_wins,
                an_invitation_is_accepted_while_the_password_is_changed,
                a_second_invitation_takes_the_place_of_the_first,
                an_invitation_works_until_it_expires,
                a_removed_user_accepts_nothing,
                an_invited_user_with_a_password_keeps_it_until_they_accept,
            }
            set_up {
                a_first_set_up_makes_all_that_a_call_begins_with,
                of_two_set_ups_at_once_one_is_made,
                a_new_link_takes_the_place_of_the_old_one,
                a_link_of_the_set_up_expires,
                no_set_up_once_there_was_a_user,
            }
            audit {
                an_entry_tells_who_did_what_when_and_from_where,
                entries_are_read_newest_first_page_by_page,
                entries_out_of_scope_do_not_exist,
                what_was_not_done_is_not_noted,
            }
        }
    };
    (@groups $make_world:ident, $($group:ident { $($name:ident,)+ })+) => {
        $(mod $group {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $name() -> $crate::testing::TestResult {
                    let world = super::$make_world().await;
                    $crate::testing::contracts::$group::$name(&world).await
                }
            )+
        })+
    };
}
